import type { FileDiff } from "./work-diff.ts";

interface Configuration {
  readonly files: RegExp;
  readonly why: string;
  /** It matters only to commands that start its program. */
  readonly isNamed?: true;
  /** Only changed lines that match count: the file configures more than verification. */
  readonly lines?: RegExp;
  /** A new file counts too: it takes effect without being named. */
  readonly isFound?: true;
  /** Lines that are only added count only if they match: more of it verifies more. */
  readonly loosening?: RegExp;
}

const configurations: readonly Configuration[] = [
  {
    files:
      /(?:^|\/)(?:vitest|jest|karma|cypress|playwright|ava|protractor|wdio|nightwatch)\.(?:conf|config|setup|workspace)\.[cm]?[jt]s(?:on)?$|(?:^|\/)\.(?:mocharc|nycrc|c8rc|taprc)(?:\.\w+)?$|(?:^|\/)(?:\.?pytest\.(?:ini|toml)|\.coveragerc|\.rspec|\.proverc|phpunit\.xml(?:\.dist)?|dart_test\.yaml|\.config\/nextest\.toml|[\w.-]+\.runsettings)$/,
    why: "it is test configuration",
    isFound: true,
  },
  {
    files: /(?:^|\/)vite\.config\.[cm]?[jt]s$/,
    why: "it is test configuration",
    lines: /\b(?:test|include|exclude|coverage|passWithNoTests)\b/,
  },
  {
    files: /(?:^|\/)(?:setup\.cfg|tox\.ini)$/,
    why: "it may be test configuration",
    lines:
      /\b(?:pytest|addopts|testpaths|python_(?:files|classes|functions)|commands|norecursedirs|flake8|ignore|exclude|omit|fail_under)\b/,
  },
  {
    files: /(?:^|\/)(?:pom\.xml|(?:build|settings)\.gradle(?:\.kts)?|Directory\.Build\.(?:props|targets))$/,
    why: "it may be test configuration",
    lines:
      /skip|exclude|ignoreFailures|testFailureIgnore|failIfNoTests|filter\b|TreatWarningsAsErrors|NoWarn/i,
  },
  {
    files:
      /^\.github\/(?:workflows|actions)\/|^(?:\.gitlab-ci\.yml|azure-pipelines\.yml|Jenkinsfile|\.travis\.yml)$|^\.(?:circleci|buildkite|ci)\//,
    why: "it is CI configuration",
    loosening:
      /continue-on-error|allow_failure|\|\|\s*(?:true|:)|\bif:\s*(?:false|never\b)|when:\s*never|paths-ignore|set \+e|exit 0/,
  },
  {
    files: /(?:^|\/)(?:(?:GNUm|M|m)akefile|\.?[jJ]ustfile|Taskfile\.ya?ml|Rakefile|noxfile\.py)$/,
    why: "verification runs it",
    isNamed: true,
    loosening: /^\.IGNORE\b/,
  },
  {
    files: /(?:^|\/)(?:tsconfig[\w.-]*\.json|\.?mypy\.ini|pyrightconfig\.json)$/,
    why: "it defines how strictly types are checked",
  },
  {
    files:
      /(?:^|\/)(?:eslint\.config\.[cm]?[jt]s|\.eslintrc(?:\.\w+)?|biome\.jsonc?|\.?ruff\.toml|\.flake8|\.?pylintrc|\.rubocop\.ya?ml|\.oxlintrc\.json|\.?clippy\.toml|\.golangci\.ya?ml|(?:phpstan|psalm)(?:\.dist)?\.(?:neon|xml)(?:\.dist)?|analysis_options\.yaml)$/,
    why: "it is lint configuration",
  },
  { files: /(?:^|\/)\.(?:eslint|prettier)ignore$/, why: "it exempts files from checks", isFound: true },
];

/** Returns true for a file whose diff `configurationChange` reads. */
export function isConfiguration(path: string): boolean {
  return configurations.some(({ files }) => files.test(path));
}

/** Returns why a change of this file may weaken what is checked, as a clause; nothing if it does not. */
export function configurationChange(
  path: string,
  file: FileDiff,
  named: ReadonlySet<string>,
): readonly string[] {
  const found = configurations.find(({ files }) => files.test(path));
  if (!found || (file.created && !found.isFound) || (found.isNamed && !named.has(path))) return [];
  return file.isOpaque || isWeaker(found, file) ? [found.why] : [];
}

function isWeaker({ lines, loosening }: Configuration, file: FileDiff): boolean {
  if (isReformatted(file)) return false;
  if (lines) return [...file.added, ...file.removed].some((line) => lines.test(line));
  if (!loosening || file.added.some((line) => loosening.test(line))) return true;
  const now = new Set(statements(file.after));
  return statements(file.before).some((line) => !now.has(line));
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
