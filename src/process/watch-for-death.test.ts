import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";

const noGroups = 15_000;
const namespace = ["-rpf", "--mount-proc"];
const canIsolate = spawnSync("unshare", [...namespace, "true"]).status === 0;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ralph-mark-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Ends a program with a watcher and `agent`, a shell script, like kill -9. Returns the time of the mark, in ns. */
async function deathOf(agent: string): Promise<bigint> {
  const mark = join(folder, "mark");
  rmSync(mark, { force: true });
  const program = `import { spawn } from "node:child_process";
import { openSync } from "node:fs";
import { watchForDeath, watchGroup } from ${JSON.stringify(join(import.meta.dirname, "watch-for-death.ts"))};
watchForDeath(openSync(process.argv[1], "wx"));
const ends = ["pipe", "ignore", "ignore"];
// Groups that are gone delay the watcher, as a busy machine does.
for (let n = 0; n < ${noGroups}; n++) watchGroup(2 ** 30 + n);
const agent = spawn("sh", ["-c", ${JSON.stringify(agent)}], { cwd: ${JSON.stringify(folder)}, detached: true, stdio: ends });
watchGroup(agent.pid);
setTimeout(() => process.kill(process.pid, "SIGKILL"), 1500);`;
  const words = ["--import", "tsx", "--input-type=module", "-e", program, mark];
  // The first process of a namespace, here a shell, takes the end of orphans at once; with its own end, that of the watcher comes.
  const waits = `for _ in $(seq 300); do grep -q "^died" '${mark}' && exit; sleep .1; done`;
  const init = ["sh", "-c", `"$@"; ${waits}`, "sh"];
  const argv = [...namespace, ...init, process.execPath, ...words];
  spawnSync("unshare", argv, { cwd: join(import.meta.dirname, "../..") });
  const text = (): string => readFileSync(mark, "utf8");
  for (let tries = 0; tries < 500 && text() === ""; tries++) await sleep(10);
  expect(text()).toBe("died\n");
  return statSync(mark, { bigint: true }).ctimeNs;
}

test.skipIf(!canIsolate)(
  "LOOP-11: what an agent writes until it is killed, after ralph was, is not later than the mark",
  async () => {
    // Ralph's death ends the agent's input: it then writes its work and ends by itself, unless the watcher is faster.
    const written: boolean[] = [];
    for (const [n, pause] of [".001", ".003"].entries()) {
      const death = await deathOf(`read -r line; sleep ${pause}; echo work > work-${n}.txt`);
      const work = statSync(join(folder, `work-${n}.txt`), { bigint: true, throwIfNoEntry: false });
      if (work) written.push(work.ctimeNs <= death);
    }
    expect(new Set(written)).toEqual(new Set([true]));
  },
);
