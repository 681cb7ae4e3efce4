import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isObject, parseJson } from "../../base/json.ts";
import { scriptsOf } from "../../outcome/package-script.ts";
import { fromPython } from "./detect-python.ts";
import { type Files, filesOf, firstOf, type Proposal, propose } from "./proposal.ts";
import { type Bodies, callsOf, makeTargets, runsOf } from "./runs-of.ts";

/**
 * Detects commands that verify work in the project at `root` from its files (LOOP-5), tests last. Without tests at the
 * root, also proposes those of the packages in its folders, each in its folder and for changes there. They are proposals:
 * this function runs nothing, and a person has to accept each command before it is used.
 */
export async function detectVerification(
  root: string,
): Promise<readonly Pick<Proposal, "command" | "from">[]> {
  const top = filesOf(root);
  const found = await detectIn(top, top);
  if (found.some(({ kind }) => kind === "test")) return found;
  const inPackages: Proposal[] = [];
  for (const folder of await findPackages(root)) {
    const tests = (await detectIn(filesOf(join(root, folder)), top)).filter(({ kind }) => kind === "test");
    for (const one of tests.map((test) => inFolder(folder, test))) inPackages.push(one);
  }
  return inPackages.length === 0 ? found : [...found.filter(({ kind }) => kind !== "guess"), ...inPackages];
}

async function detectIn(files: Files, top: Files): Promise<readonly Proposal[]> {
  const found: Proposal[] = [];
  for (const detect of [fromPackageJson, fromCargo, fromPython, fromGo, fromBats, fromMakefile])
    for (const one of await detect(files, top)) found.push(one);
  const scripts = scriptsOf((await files.read("package.json")) ?? "");
  return withoutDoubles(found, { scripts, makefile: (await readMakefile(files)).text });
}

/** Leaves out what another command of the list runs as well; a command that runs a test is one. */
function withoutDoubles(found: readonly Proposal[], bodies: Bodies): readonly Proposal[] {
  let left = found;
  for (const one of found) {
    const calls = callsOf(one.command.run);
    const runs = (other: Proposal): boolean => {
      const reached = runsOf(other.command.run, bodies);
      return other !== one && calls.size > 0 && [...calls].every((call) => reached.has(call));
    };
    const whole = left.find(runs);
    if (whole === undefined) continue;
    const { kind } = one.kind === "test" ? one : whole;
    left = left
      .filter((other) => other !== one)
      .map((other) => (other === whole ? { ...whole, kind } : other));
  }
  return left;
}

function inFolder(folder: string, { command, from, kind }: Proposal): Proposal {
  return { command: { ...command, in: folder, when: [`${folder}/**`] }, from: `${folder}/${from}`, kind };
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

async function fromPackageJson(files: Files, top: Files): Promise<readonly Proposal[]> {
  const text = (await files.read("package.json")) ?? "";
  const scripts = scriptsOf(text);
  const manifest = parseJson(text);
  const declared = isObject(manifest) ? manifest["packageManager"] : "";
  const run = await packageRunner([files, top], typeof declared === "string" ? declared : "");
  const usable = (name: string): boolean => {
    const script = scripts[name]?.trim() ?? "";
    return script !== "" && !npmPlaceholder.test(script);
  };
  const names = scriptRows.flatMap((row) => row.find(usable) ?? []);
  return names
    .filter((name, at) => !names.some((other, later) => later > at && scripts[other] === scripts[name]))
    .map((name) => propose(run(name), `package.json, script "${name}"`, name === "test" ? "test" : "check"));
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
  folders: readonly Files[],
  declared: string,
): Promise<(script: string) => string> {
  let manager = /^(npm|pnpm|yarn|bun)@/.exec(declared)?.[1];
  for (const { read } of folders)
    for (const [file, name] of lockFiles) manager ??= (await read(file)) === undefined ? undefined : name;
  // `bun test` is bun's own test runner, not the script.
  if (manager === "bun") return (script) => `bun run ${script}`;
  return (script) => (script === "test" ? `${manager ?? "npm"} test` : `${manager ?? "npm"} run ${script}`);
}

async function fromCargo({ read }: Files): Promise<readonly Proposal[]> {
  const toml = await read("Cargo.toml");
  if (toml === undefined) return [];
  const whole = /^\[workspace\]/m.test(toml) ? " --workspace" : "";
  return [propose(`cargo test${whole}`, "Cargo.toml", "test")];
}

async function fromGo({ read }: Files): Promise<readonly Proposal[]> {
  if ((await read("go.mod")) === undefined) return [];
  return [propose("go vet ./...", "go.mod"), propose("go test ./...", "go.mod", "test")];
}

async function fromBats({ list }: Files): Promise<readonly Proposal[]> {
  for (const folder of ["test", "tests", "spec", "."]) {
    const name = (await list(folder)).find((one) => one.endsWith(".bats"));
    if (name === undefined) continue;
    const own = (await list(`${folder}/bats/bin`)).includes("bats") ? `./${folder}/bats/bin/bats` : "bats";
    return [propose(`${own} ${folder}`, folder === "." ? name : `${folder}/${name}`, "test")];
  }
  return [];
}

async function readMakefile({
  read,
}: Files): Promise<{ readonly file: string | undefined; readonly text: string }> {
  const file = await firstOf(read, ["GNUmakefile", "makefile", "Makefile"]);
  return { file, text: file ? ((await read(file)) ?? "") : "" };
}

async function fromMakefile(files: Files): Promise<readonly Proposal[]> {
  const { file, text } = await readMakefile(files);
  const targets = ["check", "test"].filter((name) => makeTargets(text).has(name));
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
