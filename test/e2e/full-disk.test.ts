import { execFile, spawnSync } from "node:child_process";
import { afterEach, expect, test } from "vitest";
import { jsonLines, type Practice, ralphBin, verify, withTasks } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

const mounter = "unshare";
/** A disk of its own for `.ralph` takes a mount: root, on Linux. */
const canMount = spawnSync(mounter, ["-m", "true"]).status === 0;

const ralph = `"${process.execPath}" "${ralphBin}"`;

/** Runs `commands` while `.ralph` is on a disk of 3 MB. */
function onSmallDisk(
  made: Practice,
  ...commands: readonly string[]
): Promise<{ readonly stdout: string; readonly stderr: string; readonly code: number | null }> {
  const script = [
    "set -e",
    "cp -a .ralph ../kept",
    "mount -t tmpfs -o size=3m tmpfs .ralph",
    "cp -a ../kept/. .ralph",
    ...commands,
    "rm -f .ralph/fill",
    "rm -rf ../kept && cp -a .ralph ../kept",
    "umount -l .ralph",
    "cp -a ../kept/. .ralph",
    "exit $code",
  ].join("\n");
  return inOwnMounts(made, script);
}

/** Runs `script` with mounts of its own, which end with it. */
function inOwnMounts(made: Practice, script: string): ReturnType<typeof onSmallDisk> {
  return new Promise((done) => {
    const options = { cwd: made.dir, env: made.env, encoding: "utf8", maxBuffer: 1e8 } as const;
    const child = execFile(mounter, ["-m", "sh", "-c", script], options, (_, stdout, stderr) => {
      done({ code: child.exitCode, stdout, stderr });
    });
  });
}

test.skipIf(!canMount)(
  "TRUST-8 IF-2 LOOP-14: a disk that fills in mid-run ends it with its last line, exit code 5, and the next run goes on",
  async () => {
    // Only on the small disk: the next run finds room.
    const fill = ["sh", "-c", "mountpoint -q .ralph && head -c 9000000 /dev/zero > .ralph/fill; true"];
    project = await withTasks(
      {
        "t-1": [{ run: [fill], write: { "src/{id}.txt": "fine\n" } }],
        "*": [{ write: { "src/{id}.txt": "fine\n" } }],
      },
      ["fills the disk", "other"],
      `${verify}sandbox: "off"\n`,
    );
    const { code, stdout, stderr } = await onSmallDisk(project, `${ralph} run --json || code=$?`);
    const events = jsonLines(stdout);
    expect(events.at(-1)).toMatchObject({
      type: "run.finished",
      reason: "error",
      exitCode: 5,
      summary: expect.stringMatching(/no space|full/i),
      tasks: { done: 0, pending: 2 },
      iterations: 1,
    });
    expect(code).toBe(5);
    expect(stderr).toMatch(/^error: .*(?:full|no space)/im);
    // No attempt was burnt, and nothing is half-written.
    const next = await project.run();
    expect(next.code).toBe(0);
    expect(next.events.at(-1)).toMatchObject({ reason: "done", tasks: { done: 2 } });
    expect(await project.json("task", "list")).toMatchObject([{ attempts: 1 }, { attempts: 1 }]);
  },
);

test.skipIf(!canMount)(
  "UX-4 LOOP-14: on a full disk every command says that the disk is full and exits with 5",
  async () => {
    project = await withTasks({}, ["one"]);
    const { code, stdout, stderr } = await onSmallDisk(
      project,
      "head -c 9000000 /dev/zero > .ralph/fill || true",
      ...["status", "task add two", "run", "prompt export"].map((words) => `${ralph} ${words} || echo $?`),
      // The output itself finds no room.
      `${ralph} help > .ralph/help || echo $?`,
      "code=0",
    );
    expect(stdout).toBe("5\n".repeat(5));
    expect(stderr.match(/^error: .*$/gm)).toEqual(
      Array.from({ length: 5 }, () => expect.stringContaining("the disk is full")),
    );
    expect(stderr.match(/^hint: free some space/gim)).toHaveLength(5);
    expect(stderr).not.toMatch(/bug in ralph|^ +at /m);
    expect(code).toBe(0);
    expect(await project.json("task", "list")).toMatchObject([{ id: "t-1", attempts: 0 }]);
  },
);
