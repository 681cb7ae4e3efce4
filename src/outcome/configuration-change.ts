import { type CommandReads, goalsOf, isMakefile, linesForGoals, longerIn } from "./command-files.ts";
import type { FileDiff } from "./work-diff.ts";

interface Configuration {
  readonly files: RegExp;
  readonly why: string;
  /** It matters only to commands that start such a program; absent: to those that name the file. */
  readonly program?: RegExp;
  /** Only changed lines that match count: the file configures more than verification. */
  readonly lines?: RegExp;
  /** A new file counts too: it takes effect without being named. */
  readonly isFound?: true;
  /** Lines that are only added count only if they match: more of it verifies more. */
  readonly loosening?: RegExp;
}

const configurations: readonly Configuration[] = [
  ...["vitest", "jest", "karma", "cypress", "playwright", "ava", "wdio", "nightwatch"].map((name) => ({
    files: new RegExp(`(?:^|/)${name}\\.(?:conf|config|setup|workspace)\\.[cm]?[jt]s(?:on)?$`),
    why: "it is test configuration",
    program: new RegExp(`\\b${name}\\b|react-scripts`),
    isFound: true as const,
  })),
  ...["mocha", "nyc", "c8", "tap"].map((name) => ({
    files: new RegExp(`(?:^|/)\\.${name}rc(?:\\.\\w+)?$`),
    why: "it is test configuration",
    program: new RegExp(`\\b${name}\\b`),
    isFound: true as const,
  })),
  {
    files: /(?:^|\/)(?:\.?pytest\.(?:ini|toml)|\.coveragerc)$/,
    why: "it is test configuration",
    program: /\b(?:pytest|py\.test|tox|nox|coverage)\b/,
    isFound: true,
  },
  {
    files:
      /(?:^|\/)(?:\.rspec|\.proverc|phpunit\.xml(?:\.dist)?|dart_test\.yaml|\.config\/nextest\.toml|[\w.-]+\.runsettings)$/,
    why: "it is test configuration",
    program: /\b(?:rspec|rake|prove|phpunit|pest|composer|dart|flutter|nextest|dotnet)\b/,
    isFound: true,
  },
  {
    files: /(?:^|\/)vite\.config\.[cm]?[jt]s$/,
    why: "it is test configuration",
    program: /\bvitest\b/,
    lines: /\b(?:test|include|exclude|coverage|passWithNoTests)\b/,
  },
  {
    files: /(?:^|\/)(?:setup\.cfg|tox\.ini)$/,
    why: "it may be test configuration",
    program: /\b(?:pytest|py\.test|tox|flake8|coverage)\b/,
    lines:
      /\b(?:pytest|addopts|testpaths|python_(?:files|classes|functions)|commands|norecursedirs|flake8|ignore|exclude|omit|fail_under)\b/,
  },
  {
    files: /(?:^|\/)(?:pom\.xml|(?:build|settings)\.gradle(?:\.kts)?|Directory\.Build\.(?:props|targets))$/,
    why: "it may be test configuration",
    program: /\b(?:mvnw?|gradlew?|dotnet)\b/,
    lines:
      /skip|exclude|ignoreFailures|testFailureIgnore|failIfNoTests|filter\b|TreatWarningsAsErrors|NoWarn/i,
  },
  {
    files: /(?:^|\/)(?:(?:GNUm|M|m)akefile|\.?[jJ]ustfile|Taskfile\.ya?ml|Rakefile|noxfile\.py)$/,
    why: "verification runs it",
    loosening: /^\.IGNORE\b/,
  },
  {
    files: /(?:^|\/)(?:tsconfig[\w.-]*\.json|\.?mypy\.ini|pyrightconfig\.json)$/,
    why: "it defines how strictly types are checked",
    program: /\b(?:tsc|tsgo|vue-tsc|svelte-check|ts-node|ts-jest|next build|mypy|pyright)\b/,
    lines:
      /\b(?:strict\w*|no[A-Z]\w+|exactOptional\w+|skipLibCheck|checkJs|allow(?:Unreachable|Unused)\w+|include|exclude|files|extends|(?:dis)?allow_\w+|warn_\w+|ignore_\w+|check_\w+|report\w+|typeCheckingMode)\b/,
    loosening: /false|off\b|\b(?:exclude|include|files|skipLibCheck|allow\w+|ignore_\w+)\b/i,
  },
  {
    files:
      /(?:^|\/)(?:eslint\.config\.[cm]?[jt]s|\.eslintrc(?:\.\w+)?|biome\.jsonc?|\.?ruff\.toml|\.flake8|\.?pylintrc|\.rubocop\.ya?ml|\.oxlintrc\.json|\.?clippy\.toml|\.golangci\.ya?ml|(?:phpstan|psalm)(?:\.dist)?\.(?:neon|xml)(?:\.dist)?|analysis_options\.yaml)$/,
    why: "it is lint configuration",
    program:
      /\b(?:eslint|next lint|biome|ruff|flake8|pylint|rubocop|oxlint|clippy|golangci-lint|phpstan|psalm|dart|flutter)\b/,
    loosening: /off\b|warn|ignore|disable|exclude|skip|false|allow|\b0\b/i,
  },
  {
    files: /(?:^|\/)\.(?:eslint|prettier)ignore$/,
    why: "it exempts files from checks",
    program: /\b(?:eslint|prettier)\b/,
    isFound: true,
  },
];

/** Returns true for a file whose diff `configurationChange` reads. */
export function isConfiguration(path: string): boolean {
  return configurations.some(({ files }) => files.test(path));
}

/** Returns why a change of this file may weaken what is checked, as a clause; nothing if it does not. */
export function configurationChange(path: string, file: FileDiff, reads: CommandReads): readonly string[] {
  const found = configurations.find(({ files }) => files.test(path));
  if (!found || (file.created && !found.isFound)) return [];
  const isRead = reads.named.has(path) || (found.program && reads.readsFor(path, found.program));
  if (!isRead) return [];
  return file.isOpaque || isWeaker(found, isMakefile(path) ? forGoals(file, reads) : file) ? [found.why] : [];
}

function isWeaker({ lines = /(?:)/, loosening }: Configuration, file: FileDiff): boolean {
  if (isReformatted(file)) return false;
  const changed = [...file.added, ...file.removed].filter((line) => lines.test(line));
  if (!loosening) return changed.length > 0;
  const added = file.added.filter((line) => lines.test(line));
  if (added.some((line) => loosening.test(line))) return true;
  const now = new Set(statements(file.after));
  const hasGrown = longerIn(file.added);
  return file.before.some(
    (line) => lines.test(line) && statements([line]).some((one) => !now.has(one)) && !hasGrown(line),
  );
}

/** Returns the change of what `make` reads for the goals of the commands. */
function forGoals(file: FileDiff, { lines }: CommandReads): FileDiff {
  const [before, after] = [file.before, file.after].map((all) => linesForGoals(all, goalsOf(lines)));
  return { ...file, before: [...(before ?? [])], after: [...(after ?? [])] };
}

/** Returns true for a change of comments, white space, quotes and commas. */
export function isReformatted({ before, after, deleted, becameLink }: FileDiff): boolean {
  return !deleted && !becameLink && statements(before).join("") === statements(after).join("");
}

/** Returns the lines with code, without white space, quotes and commas. */
function statements(lines: readonly string[]): readonly string[] {
  const code = lines.filter((line) => !/^\s*(?:#(?!!)|\/\/)/.test(line));
  return code.map((line) => line.replace(/[\s,;"'`]+/g, "")).filter((line) => line !== "");
}
