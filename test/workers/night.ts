import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Practice, practice } from "../e2e/practice.ts";

/** Passes while there are no more files `limit-*` than `limit.txt` says. */
const check = `
import { readFileSync, readdirSync } from "node:fs";
const found = readdirSync(".").filter((name) => name.startsWith("limit-")).length;
const allowed = Number(readFileSync("limit.txt", "utf8"));
if (found > allowed) throw new Error(found + " files, " + allowed + " allowed");
`;

/**
 * Task N writes a file of its own; two in ten also the one line of `shared.txt`, and two others a file that
 * passes alone but not beside another such file.
 */
const agent = `
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
const id = /\\bt-\\d+\\b/.exec(readFileSync(0, "utf8"))[0];
const n = Number(id.slice(2));
await new Promise((resolve) => setTimeout(resolve, 50 + (n * 37) % 150));
writeFileSync("out-" + n + ".txt", "worker " + process.env.RALPH_WORKER + "\\n");
if (n % 10 === 4 || n % 10 === 5) writeFileSync("shared.txt", "changed by " + n + "\\n");
if (n % 10 === 7 || n % 10 === 8) {
  writeFileSync("limit-" + n + ".txt", "x\\n");
  writeFileSync("limit.txt", readdirSync(".").filter((name) => name.startsWith("limit-")).length + "\\n");
}
console.log("<task-done>" + id + "</task-done>");
`;

/** Makes a project with `count` such tasks in a list. */
export async function workersProject(count: number, config = ""): Promise<Practice> {
  const project = practice({
    "agent.mjs": agent,
    "check.mjs": check,
    "limit.txt": "0\n",
    "shared.txt": "nobody\n",
    ".gitignore": ".ralph/\n",
  });
  project.write(
    ".ralph/config.yaml",
    `agent: command\nagents: { command: { argv: [node, agent.mjs] } }\nverify: [node check.mjs]\nhivemind: { store: off }\n${config}`,
  );
  await project.approveConfig();
  await project.addTasks(Array.from({ length: count }, (_, at) => `Task ${at + 1}`));
  return project;
}

/** Returns the tasks whose commits a branch has, in the order of the commits, oldest first. */
export function landedTasks({ git }: Practice, branch: string): readonly string[] {
  const log = git("log", "--reverse", "--format=%(trailers:key=Ralph-Task,valueonly)%x00", `main..${branch}`);
  return log
    .split("\0")
    .map((text) => text.trim())
    .filter(Boolean);
}

/** Returns the commits of a branch at which the check fails. */
export function redCommits({ git, env }: Practice, branch: string): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), "ralph-checkout-"));
  const tree = join(folder, "tree");
  git("worktree", "add", "-q", "--detach", tree, "main");
  const red = git("rev-list", "--reverse", `main..${branch}`)
    .split("\n")
    .filter((commit) => {
      execFileSync("git", ["checkout", "-q", "--detach", commit], { cwd: tree, env });
      try {
        execFileSync("node", ["check.mjs"], { cwd: tree, stdio: "ignore" });
        return false;
      } catch {
        return true;
      }
    });
  rmSync(folder, { recursive: true });
  git("worktree", "prune");
  return red;
}
