import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isObject, parseJson } from "../base/json.ts";
import type { VerifySetting } from "../base/verify-command.ts";
import { readSmallFile } from "./package-script.ts";

interface Proposal {
  readonly command: VerifySetting;
  /** The file, and the part of it, that suggests the command. */
  readonly from: string;
  /** `guess`: nothing says that there are tests. */
  readonly kind: "test" | "check" | "guess";
}

/** Returns the text of a file in the project's root or a package; undefined if it does not exist. */
type ReadFile = (name: string) => Promise<string | undefined>;

/**
 * Detects commands that verify work in the project at `root` from its files (LOOP-5), tests last. Without tests at the
 * root, also proposes those of the packages in its folders, each in its folder and for changes there. They are proposals:
 * this function runs nothing, and a person has to accept each command before it is used.
 */
export async function detectVerification(
  root: string,
): Promise<readonly Pick<Proposal, "command" | "from">[]> {
  const readRoot: ReadFile = (name) => readSmallFile(join(root, name));
  const found = await detectIn(readRoot, readRoot);
  if (found.some(({ kind }) => kind === "test")) return found;
  const inPackages: Proposal[] = [];
  for (const folder of await findPackages(root)) {
    const read: ReadFile = (name) => readSmallFile(join(root, folder, name));
    const tests = (await detectIn(read, readRoot)).filter(({ kind }) => kind === "test");
    for (const one of tests.map((test) => inFolder(folder, test))) inPackages.push(one);
  }
  return inPackages.length === 0 ? found : [...found.filter(({ kind }) => kind !== "guess"), ...inPackages];
}

async function detectIn(read: ReadFile, readRoot: ReadFile): Promise<readonly Proposal[]> {
  const found: Proposal[] = [];
  for (const detect of [fromPackageJson, fromCargo, fromPython, fromGo, fromMakefile])
    for (const one of await detect(read, readRoot)) found.push(one);
  const recipe = makeRecipe((await readMakefile(read)).text, "test");
  return found.filter(({ command }) => !isRunBy(recipe, command.run));
}

/** Returns true if the recipe of `make test`, which is proposed as well, runs these tests. */
function isRunBy(recipe: string, run: string): boolean {
  const tool = /\b(?:go|cargo|npm|pnpm|yarn) test\b|\bpytest\b|\bunittest\b/.exec(run)?.[0];
  return tool !== undefined && recipe.includes(tool);
}

function inFolder(folder: string, { command, from, kind }: Proposal): Proposal {
  return { command: { ...command, in: folder, when: [`${folder}/**`] }, from: `${folder}/${from}`, kind };
}

function propose(run: string, from: string, kind: Proposal["kind"] = "check"): Proposal {
  return { command: { run, timeoutMs: null }, from, kind };
}

/** Script names; the first existing one of each row is proposed. Fast checks come first, so that failures show early. */
const scriptRows: readonly (readonly string[])[] = [
  ["typecheck", "type-check", "check-types", "check:types", "types", "tsc"],
  ["lint", "lint:check"],
  ["check"],
  ["build"],
  ["test"],
];
const npmPlaceholder = /no test specified/;

async function fromPackageJson(read: ReadFile, readRoot: ReadFile): Promise<readonly Proposal[]> {
  const value = parseJson((await read("package.json")) ?? "");
  const scripts = isObject(value) ? value["scripts"] : undefined;
  if (!isObject(scripts)) return [];
  const declared =
    isObject(value) && typeof value["packageManager"] === "string" ? value["packageManager"] : "";
  const run = await packageRunner([read, readRoot], declared);
  const usable = (name: string): boolean => {
    const script = scripts[name];
    return typeof script === "string" && script.trim() !== "" && !npmPlaceholder.test(script);
  };
  const names = scriptRows.flatMap((row) => row.find(usable) ?? []);
  return names.map((name) =>
    propose(run(name), `package.json, script "${name}"`, name === "test" ? "test" : "check"),
  );
}

/** By lock file: what installs its packages, and the folder where they are then. */
const installs: readonly (readonly [file: string, command: string, folder: string])[] = [
  ["package-lock.json", "npm ci", "node_modules"],
  ["npm-shrinkwrap.json", "npm ci", "node_modules"],
  ["pnpm-lock.yaml", "pnpm install --frozen-lockfile", "node_modules"],
  ["yarn.lock", "yarn install", "node_modules"],
  ["bun.lock", "bun install --frozen-lockfile", "node_modules"],
  ["bun.lockb", "bun install --frozen-lockfile", "node_modules"],
  ["uv.lock", "uv sync --frozen", ".venv"],
  ["poetry.lock", "poetry install", ".venv"],
  ["pdm.lock", "pdm sync", ".venv"],
  ["Pipfile.lock", "pipenv sync", ".venv"],
  ["Gemfile.lock", "bundle install", "vendor"],
  ["composer.lock", "composer install", "vendor"],
  ["mix.lock", "mix deps.get", "deps"],
];

/**
 * Returns the commands that install what the lock files at `root` name; with `installed`, only of packages that are
 * installed there.
 */
export function detectSetup(
  root: string,
  { installed = false }: { readonly installed?: boolean } = {},
): readonly string[] {
  const found = installs.filter(
    ([file, , folder]) => existsSync(join(root, file)) && (!installed || existsSync(join(root, folder))),
  );
  return [...new Set(found.map(([, command]) => command))];
}

const lockFiles: readonly (readonly [file: string, manager: string])[] = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
  ["package-lock.json", "npm"],
];

/** Returns how the package manager, named by `packageManager` or a lock file of the package or the root, runs a script. */
async function packageRunner(
  folders: readonly ReadFile[],
  declared: string,
): Promise<(script: string) => string> {
  let manager = /^(npm|pnpm|yarn|bun)@/.exec(declared)?.[1];
  for (const read of folders)
    for (const [file, name] of lockFiles) manager ??= (await read(file)) === undefined ? undefined : name;
  // `bun test` is bun's own test runner, not the script.
  if (manager === "bun") return (script) => `bun run ${script}`;
  return (script) => (script === "test" ? `${manager ?? "npm"} test` : `${manager ?? "npm"} run ${script}`);
}

async function fromCargo(read: ReadFile): Promise<readonly Proposal[]> {
  const toml = await read("Cargo.toml");
  if (toml === undefined) return [];
  const whole = /^\[workspace\]/m.test(toml) ? " --workspace" : "";
  return [propose(`cargo test${whole}`, "Cargo.toml", "test")];
}

/** The configuration of a virtual environment in its usual folders: tests need the packages that are installed there. */
const environments = [".venv/pyvenv.cfg", "venv/pyvenv.cfg"];

async function findPython(read: ReadFile): Promise<string> {
  const found = await firstOf(read, environments);
  return found === undefined ? "python3" : found.replace("pyvenv.cfg", "bin/python");
}

const pytestFiles = ["pytest.ini", "conftest.py", "tests/conftest.py"];

async function fromPython(read: ReadFile): Promise<readonly Proposal[]> {
  const toml = await read("pyproject.toml");
  const found: Proposal[] = [];
  const prefix =
    (await read("uv.lock")) !== undefined
      ? "uv run "
      : (await read("poetry.lock")) !== undefined
        ? "poetry run "
        : "";
  const python = prefix === "" ? await findPython(read) : "python3";
  if (toml && /^\[tool\.ruff\b/m.test(toml))
    found.push(propose(`${prefix}ruff check .`, "pyproject.toml, [tool.ruff]"));
  if (toml && /^\[tool\.mypy\b/m.test(toml))
    found.push(propose(`${prefix}mypy .`, "pyproject.toml, [tool.mypy]"));
  const pytest =
    toml && /\bpytest\b/.test(toml) ? "pyproject.toml, pytest" : await firstOf(read, pytestFiles);
  if (pytest) found.push(propose(prefix ? `${prefix}pytest` : `${python} -m pytest`, pytest, "test"));
  else if (toml !== undefined)
    found.push(propose(`${prefix}${python} -m unittest`, "pyproject.toml", "guess"));
  return found;
}

async function firstOf(read: ReadFile, names: readonly string[]): Promise<string | undefined> {
  for (const name of names) if ((await read(name)) !== undefined) return name;
  return undefined;
}

async function fromGo(read: ReadFile): Promise<readonly Proposal[]> {
  if ((await read("go.mod")) === undefined) return [];
  return [propose("go vet ./...", "go.mod"), propose("go test ./...", "go.mod", "test")];
}

async function readMakefile(
  read: ReadFile,
): Promise<{ readonly file: string | undefined; readonly text: string }> {
  const file = await firstOf(read, ["GNUmakefile", "makefile", "Makefile"]);
  return { file, text: file ? ((await read(file)) ?? "") : "" };
}

function makeRecipe(text: string, target: string): string {
  return new RegExp(`^${target}[ \\t]*:(?!=).*\\n((?:\\t.*(?:\\n|$))*)`, "m").exec(text)?.[1] ?? "";
}

async function fromMakefile(read: ReadFile): Promise<readonly Proposal[]> {
  const { file, text } = await readMakefile(read);
  const targets = ["check", "test"].filter((name) => new RegExp(`^${name}[ \\t]*:(?!=)`, "m").test(text));
  return targets.map((name) =>
    propose(`make ${name}`, `${file}, target "${name}"`, name === "test" ? "test" : "check"),
  );
}

const manifests: ReadonlySet<string> = new Set(["package.json", "pyproject.toml", "go.mod", "Cargo.toml"]);
/** Folders that hold what is installed, built or only an example. */
const skipped =
  /^(?:\.|_|(?:node_modules|vendor|target|dist|build|out|coverage|venv|env|examples?|fixtures?|tests?|e2e)$)/;
/** Names that can be part of a glob as they are. */
const plain = /^[\w@.+-]+$/;
const maxDepth = 3;
const maxFolders = 1000;

/** Returns the folders below `root` with a package's manifest, relative to it and sorted; reads at most 1,000 folders. */
async function findPackages(root: string): Promise<readonly string[]> {
  const found: string[] = [];
  let level: readonly string[] = [""];
  let read = 0;
  for (let depth = 0; depth <= maxDepth && level.length > 0; depth++) {
    const next: string[][] = [];
    for (const folder of level) {
      if (++read > maxFolders) return found.sort();
      const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
      if (folder !== "" && entries.some((entry) => entry.isFile() && manifests.has(entry.name)))
        found.push(folder);
      const folders = entries.filter(({ name }) => plain.test(name) && !skipped.test(name));
      const names = folders.filter((entry) => entry.isDirectory()).map(({ name }) => name);
      next.push(names.map((name) => (folder === "" ? name : `${folder}/${name}`)));
    }
    level = next.flat();
  }
  return found.sort();
}
