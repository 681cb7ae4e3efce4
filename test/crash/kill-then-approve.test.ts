import { spawn, spawnSync } from "node:child_process";
import { afterEach, expect, test } from "vitest";
import { inheritedMark } from "../../src/process/tree/inherited-mark.ts";
import { mayRaiseLimits } from "../../src/process/tree/process-table.ts";
import { type Practice, practice, ralphStart } from "../e2e/practice.ts";
import { killWhen } from "./kill-when.ts";

// A run that is killed leaves an iteration open, and perhaps processes of its agent.

const onLinux = process.platform === "linux";
/** Starts a program where `prlimit` is missing and nothing may raise limits; it takes a mount: root, on Linux. */
const withoutMarks = [
  ...["unshare", "-m", "sh", "-c", 'mount --bind /dev/null "$(command -v prlimit)" && exec "$@"', "sh"],
  ...["setpriv", "--bounding-set=-sys_resource"],
] as const;
const [unshare, ...toProgram] = withoutMarks;
const canHide = onLinux && spawnSync(unshare, [...toProgram, "true"]).status === 0;

let project: Practice;
afterEach(() => project?.remove());

/** Makes a project whose run was killed while its agent worked, and whose prompt changed since. */
async function killed(): Promise<void> {
  project = practice({ "src/base.txt": "" });
  const touch = ["sh", "-c", "touch .ralph/there; sleep 60"];
  await project.useWorker({ "t-1": [{ run: [touch] }] }, 'verify: ["true"]\n');
  await project.addTasks(["t-1"]);
  await killWhen(project, ".ralph/there");
  project.write(".ralph/prompt.md", "{{task}}\n");
}

interface Caller {
  readonly detached?: boolean;
  readonly prefix?: readonly string[];
}

async function approve({
  detached = false,
  prefix = [],
}: Caller = {}): Promise<readonly [number | null, string]> {
  const [file = "", ...args] = [...prefix, process.execPath, ...ralphStart, "trust", "approve", "--yes"];
  const { dir: cwd, env } = project;
  const child = spawn(file, args, { cwd, env, detached, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr?.on("data", (data) => {
    said += data;
  });
  return [await new Promise((done) => child.once("close", done)), said];
}

test.skipIf(!onLinux)(
  "TRUST-5 LOOP-22: after a kill, a person without a terminal approves from a session that is older than the run",
  async () => {
    await killed();
    expect((await project.ralph("run")).code).toBe(5);
    expect(await approve()).toEqual([0, expect.stringContaining("approved 1 item")]);
    expect((await project.ralph("run", "--dry-run")).code).toBe(0);
  },
);

test.skipIf(!onLinux)(
  "TRUST-5 LOOP-22: after a kill, a new session approves where no agent can shed its mark",
  async () => {
    await killed();
    const refused = /a killed run.*\nhint: .*older than the run/;
    const [code, stderr] = await approve({ detached: true });
    const mayShed = mayRaiseLimits(process.pid);
    expect([code, stderr]).toEqual(
      mayShed ? [5, expect.stringMatching(refused)] : [0, expect.stringContaining("approved 1 item")],
    );
  },
);

test.skipIf(!canHide)(
  "TRUST-5 LOOP-22: after a kill, a new session approves nothing where agents without a namespace get no mark",
  async () => {
    await killed();
    const refused = await approve({ detached: true, prefix: withoutMarks });
    expect(refused).toEqual([5, expect.stringContaining("a killed run left an iteration")]);
  },
);

test.skipIf(!onLinux)("TRUST-5 LOOP-18: what an agent of the killed run left approves nothing", async () => {
  await killed();
  const marked = await approve({ prefix: await inheritedMark("run-1.1") });
  expect(marked).toEqual([2, expect.stringContaining("not available to the agent working on t-1")]);
});
