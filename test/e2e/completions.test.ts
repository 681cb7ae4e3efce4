import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Practice, practice, ralphBin, ralphStart } from "./practice.ts";

let project: Practice;
let env: Record<string, string>;

beforeAll(async () => {
  project = practice({
    "tasks.md": "## 1. Notes\n- [ ] 1.1 Parse $(touch hit) dates\n- [x] 1.2 Write them\n",
  });
  mkdirSync(join(project.dir, "openspec/changes/pocket"), { recursive: true });
  project.write("openspec/changes/pocket/tasks.md", "## 1. Notes\n- [ ] 1.1 One\n");
  for (const file of ["tasks.md", "openspec/changes/pocket/tasks.md"]) {
    const { code, stderr } = await project.ralph("task", "import", file);
    if (code !== 0) throw new Error(stderr);
  }
  const bin = join(project.home, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "ralph"), `#!/bin/sh\nexec ${[process.execPath, ...ralphStart].join(" ")} "$@"\n`);
  chmodSync(join(bin, "ralph"), 0o755);
  env = { ...project.env, PATH: `${bin}:${project.env["PATH"]}` };
});
afterAll(() => project.remove());

const offered = async (...words: string[]): Promise<readonly string[]> =>
  (await project.answer("__complete", ...words)).stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => line.split("\t")[0] ?? "");

describe("what is offered", () => {
  test.each([
    [["ta"], ["task"]],
    [["task", "sh"], ["show"]],
    [["-C", ".", "task", "sh"], ["show"]],
    [
      ["task", "show", "1"],
      ["1.1", "1.2"],
    ],
    [["task", "show", "pocket:"], ["pocket:1.1"]],
    [["task", "show", "1.1", "1"], []],
    [["task", "done", "1.2", "1.1"], ["1.1"]],
    [["task", "list", "--st"], ["--status"]],
    [["task", "list", "--status", "b"], ["blocked"]],
    [["task", "list", "--parent", "pocket"], ["pocket:1.1"]],
    [["task", "import", "ta"], []],
    [["task", "import", "--format", "be"], ["beads"]],
    [["run", "--strategy", "e"], ["escalate"]],
    [
      ["completions", ""],
      ["bash", "zsh", "fish"],
    ],
    [["nonsense", ""], []],
  ])("ralph %j: %j", async (words, expected) => {
    expect([...(await offered(...words))].sort()).toEqual([...expected].sort());
  });

  test("outside a project nothing is said, and nothing made", async () => {
    const empty = join(project.home, "empty");
    mkdirSync(empty);
    const done = spawnSync(process.execPath, [ralphBin, "__complete", "task", "show", ""], {
      cwd: empty,
      env: project.env,
      encoding: "utf8",
    });
    expect([done.status, done.stdout, done.stderr]).toEqual([0, "", ""]);
    expect(readdirSync(empty)).toEqual([]);
  });

  test("a shell that there is none for is a mistake of usage", async () => {
    const { code, stderr } = await project.ralph("completions", "tcsh");
    expect([code, stderr]).toEqual([2, expect.stringContaining("bash, zsh, fish")]);
  });
});

/** Returns the shell's own answer to a script; undefined where it is not installed. */
function inShell(shell: string, script: string): string | undefined {
  const { status, stdout, stderr, error } = spawnSync(shell, ["-c", script], {
    cwd: project.dir,
    env,
    encoding: "utf8",
  });
  if (error) return undefined;
  if (status !== 0) throw new Error(`${shell}: ${stderr}`);
  return stdout;
}

const bash = `eval "$(ralph completions bash)"
ask() { COMP_LINE="$1"; COMP_POINT=\${#1}; COMPREPLY=(); _ralph; echo "\${COMPREPLY[*]}"; }
complete -p ralph >/dev/null
ask "ralph ta"; ask "ralph task show 1."; ask "ralph task show pocket:1."; ask "ralph task list --status "`;
const zsh = `autoload -U compinit; compinit -D -u
source <(ralph completions zsh)
[[ "$_comps[ralph]" == _ralph ]] || exit 1
compadd() { print -r -- $values }
ask() { words=("$@"); CURRENT=$#; _ralph }
ask ralph ta; ask ralph task show 1.; ask ralph task show pocket:1.; ask ralph task list --status ""`;
const fish = `ralph completions fish | source
for line in "ralph ta" "ralph task show 1." "ralph task show pocket:1." "ralph task list --status "
  complete -C $line | string replace -r '\\t.*' '' | string join ' '
end`;
const isHere = (shell: string): boolean => {
  const found = spawnSync(shell, ["--version"]).error === undefined;
  if (!found) process.stderr.write(`skipped: completions in ${shell}, which is not installed\n`);
  return found;
};

describe.each([
  ["bash", bash],
  ["zsh", zsh],
  ["fish", fish],
])("in %s itself", (shell, script) => {
  test.skipIf(!isHere(shell))("commands, ids with and without colons, values", () => {
    const answers = inShell(shell, script)
      ?.trimEnd()
      .split("\n")
      .map((line) => line.split(" ").sort());
    // Readline replaces only what stands behind the colon.
    const behindColon = shell === "bash" ? "1.1" : "pocket:1.1";
    expect(answers).toEqual([
      ["task"],
      ["1.1", "1.2"],
      [behindColon],
      ["blocked", "done", "failed", "in_progress", "pending"],
    ]);
    expect(readdirSync(project.dir)).not.toContain("hit");
  });
});
