import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Practice, practice } from "../e2e/practice.ts";

/** Passes while there are no more files `limit-*` than `limit.txt` says. */
const check = `found=$(ls | grep -c '^limit-')
read -r allowed < limit.txt
[ "$found" -le "$allowed" ] || { echo "$found files, $allowed allowed" >&2; exit 1; }
`;

/**
 * Task N writes a file of its own; two in ten also the one line of `shared.txt`, and two others a file that
 * passes alone but not beside another such file.
 */
const agent = `id=$(grep -owm1 't-[0-9]*' | head -n 1)
n=\${id#t-}
sleep "0.$(printf %03d $((50 + n * 37 % 150)))"
echo "worker $RALPH_WORKER" > out-$n.txt
case $((n % 10)) in
4|5) echo "changed by $n" > shared.txt;;
7|8) echo x > limit-$n.txt; ls | grep -c '^limit-' > limit.txt;;
esac
echo "<task-done>$id</task-done>"
`;

/** Makes a project with `count` such tasks in a list. */
export async function workersProject(count: number, config = ""): Promise<Practice> {
  const project = practice({
    "agent.sh": agent,
    "check.sh": check,
    "limit.txt": "0\n",
    "shared.txt": "nobody\n",
    ".gitignore": ".ralph/\n",
  });
  project.write(
    ".ralph/config.yaml",
    `agent: command\nagents: { command: { argv: [sh, agent.sh] } }\nverify: [sh check.sh]\nhivemind: { store: off }\n${config}`,
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
        execFileSync("sh", ["check.sh"], { cwd: tree, stdio: "ignore" });
        return false;
      } catch {
        return true;
      }
    });
  rmSync(folder, { recursive: true });
  git("worktree", "prune");
  return red;
}
