import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { openTurns } from "../../base/clock.ts";
import { nameSome } from "../../base/text.ts";
import { holdsSecret } from "../../trust/redact.ts";
import type { WorkSince } from "../../workspace/baseline.ts";
import { resetEntries } from "../../workspace/git/index-entries.ts";
import { kindsIn, pathKind } from "../../workspace/git/paths.ts";
import { toTop } from "../../workspace/git/project-paths.ts";
import type { Workspace } from "../../workspace/git/workspace.ts";
import { entriesOf } from "../../workspace/nested-repositories.ts";

/** Folders that package managers and tools fill. */
const filled = new Set(
  [
    "node_modules bower_components jspm_packages .pnpm-store .npm .parcel-cache .turbo .next .nuxt .svelte-kit .angular",
    ".nyc_output .eslintcache .venv venv virtualenv __pycache__ __pypackages__ .pytest_cache .mypy_cache .ruff_cache .tox",
    ".nox .eggs .hypothesis .ipynb_checkpoints .gradle .dart_tool .terraform .bundle .stack-work .cache .ccache",
  ].flatMap((line) => line.split(" ")),
);
/** Those whose names have other uses: what stands beside them says what they are. */
const filledBeside: Readonly<Record<string, readonly string[]>> = {
  target: ["Cargo.toml", "pom.xml", "build.sbt", "project.clj"],
  build: ["build.gradle", "build.gradle.kts", "CMakeCache.txt"],
  _build: ["mix.exs", "dune-project"],
  deps: ["mix.exs"],
  "dist-newstyle": ["cabal.project"],
};
/** A test of a resolver needs such folders. */
const fixtures = /^_*(?:fixtures?|testdata)_*$/i;
/** Tests have tokens that nobody issued. */
const testFile =
  /(?:^|\/)(?:__)?(?:tests?|specs?|fixtures?|testdata|mocks?)(?:__)?\/|[._-](?:test|spec)s?\.[^/]+$/i;
const code =
  /\.(?:[cm]?[jt]sx?|vue|svelte|py|rb|php|pl|go|rs|java|kts?|scala|cs|swift|dart|ex|exs|c|cc|cpp|h|hpp|lua|r|jl)$/i;
/** Files that hold secrets, or keys that are not text. */
const secretName =
  /^(?:\.env(?:\.(?!(?:example|sample|template|dist|defaults?|schema)$).+)?|id_(?:rsa|dsa|ecdsa|ed25519)|.+\.(?:p12|pfx|jks|keystore|kdbx))$/;

/** Files beyond this number, and larger ones, are not read. */
const maxRead = 2000;
const maxBytes = 512 * 1024;

/**
 * Returns what no commit of ralph holds of the changed `paths` (LOOP-25): new files with secrets, and new folders of
 * dependencies or caches (`node_modules/`), as lines of a `.gitignore`. All paths are relative to the project.
 */
export async function leftOut(
  workspace: Workspace,
  { since, paths }: { readonly since: string | null; readonly paths: readonly string[] },
): Promise<readonly string[]> {
  const lines = new Set<string>();
  const kindOf = kindsIn(workspace.root);
  const turn = openTurns();
  let read = 0;
  for (const path of paths) {
    await turn();
    const folder = filledFolder(workspace, path);
    if (folder !== null) lines.add(folder);
    const stats = folder === null ? kindOf(path) : undefined;
    if (!stats?.isFile()) continue;
    const isRead = !testFile.test(path) && stats.size <= maxBytes && read++ < maxRead;
    if (isNamedSecret(path) || (isRead && (await holds(join(workspace.root, path))))) lines.add(path);
  }
  if (lines.size === 0) return [];
  const found = [...lines];
  const known = new Set(await entriesOf(workspace, since, found.map(entryOf)));
  return found.filter((line) => !known.has(toTop(workspace, entryOf(line))));
}

/**
 * Returns the work without what stays in the tree, uncommitted, when the work is committed or removed; it is taken out of
 * the index too. Code that holds a secret is no such file, as other code may need it: `secretCode` is the first.
 */
export async function withoutLeftOut(
  workspace: Workspace,
  work: WorkSince,
  since: string | null,
): Promise<{
  readonly work: WorkSince;
  readonly out: readonly string[];
  readonly secretCode: string | null;
}> {
  const all = await leftOut(workspace, { since, paths: work.changedPaths });
  const out = all.filter((line) => !code.test(line));
  const secretCode = all.find((line) => code.test(line)) ?? null;
  if (out.length === 0) return { work, out, secretCode };
  const changedPaths = notLeftOut(work.changedPaths, out);
  const kept = new Set(changedPaths);
  const gone = work.changedPaths.filter((path) => !kept.has(path)).map((path) => toTop(workspace, path));
  if (work.head !== null) await resetEntries(workspace, gone, work.head);
  return { work: { ...work, changedPaths, files: notLeftOut(work.files, out) }, out, secretCode };
}

const isNamedSecret = (path: string): boolean => secretName.test(path.slice(path.lastIndexOf("/") + 1));

async function holds(file: string): Promise<boolean> {
  return holdsSecret(await readFile(file, "utf8").catch(() => ""));
}

const entryOf = (line: string): string => line.replace(/\/$/, "");

/** Returns the folder of dependencies or caches around `path`, with a slash at its end. */
export function filledFolder({ root }: Workspace, path: string): string | null {
  const parents = path.split("/").slice(0, -1);
  for (const [at, name] of parents.entries()) {
    if (fixtures.test(name)) return null;
    const above = parents.slice(0, at).join("/");
    const beside = Object.hasOwn(filledBeside, name) ? (filledBeside[name] ?? []) : [];
    const isFilled =
      filled.has(name) || beside.some((file) => pathKind(join(root, above, file)) !== undefined);
    if (isFilled) return `${join(above, name)}/`;
  }
  return null;
}

/** Returns the paths that these lines do not cover. */
export function notLeftOut(paths: readonly string[], lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return paths;
  const files = new Set(lines);
  const folders = lines.filter((line) => line.endsWith("/"));
  return paths.filter((path) => !files.has(path) && !folders.some((folder) => path.startsWith(folder)));
}

/** More files are rather what a tool made than work. */
const manyFiles = 1000;

export function leftOutWarnings(lines: readonly string[], files: readonly string[]): readonly string[] {
  const warnings: string[] = [];
  if (lines.length > 0) {
    const what = lines.length === 1 ? "a secret, or what a tool made" : "secrets, or what tools made";
    warnings.push(
      `not committed: ${nameSome(lines)} (${what}); add to .gitignore: ${lines.slice(0, 3).join(" ")}`,
    );
  }
  if (files.length >= manyFiles) {
    const counts = new Map<string, number>();
    for (const file of files) {
      const folder = file.includes("/") ? `${file.slice(0, file.indexOf("/"))}/` : "the project's folder";
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
    const [[most] = [""]] = [...counts].toSorted(([, a], [, b]) => b - a);
    warnings.push(`${files.length} changed files, most in ${most}: is a line missing in .gitignore?`);
  }
  return warnings;
}
