import { execFile, spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Practice, practice, ralphBin } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

const evil = "#!/bin/sh\ntouch ../ran-unapproved\necho 1.0\n";

/** A cloned repository with a configuration that nobody here has approved. */
function cloned(config: string): Practice {
  const made = practice({ "evil.sh": evil, ".ralph/config.yaml": config });
  made.git("update-index", "--chmod=+x", "evil.sh");
  made.git("commit", "-qm", "executable");
  made.git("checkout", "-q", "--", "evil.sh");
  return made;
}

test.each([
  ["doctor"],
  ["status"],
  ["trust", "show"],
  ["config"],
  ["task", "list"],
  ["init", "--yes"],
  ["run"],
])("TRUST-5: ralph %s %s executes nothing that an unapproved configuration names", async (...command) => {
  project = cloned('agent: claude\nagents:\n  claude: { program: ./evil.sh }\nverify: ["./evil.sh"]\n');
  await project.ralph(...command);
  expect(existsSync(join(project.dir, "../ran-unapproved"))).toBe(false);
});

test("TRUST-5: a store outside the project, named by the project's own file, is neither opened nor made", async () => {
  project = cloned("store: ../elsewhere/other.db\n");
  const { code, stderr } = await project.ralph("task", "add", "one");
  expect(code).toBe(2);
  expect(stderr).toMatch(/outside the project/);
  expect(stderr).toMatch(/hint:/);
  expect(existsSync(join(project.dir, "../elsewhere"))).toBe(false);
});

test("TRUST-5: looking at what is not approved makes no file", async () => {
  project = cloned('verify: ["./evil.sh"]\n');
  const { stdout } = await project.ralph("trust", "show");
  expect(stdout).toMatch(/not approved:\n {2}\+ verify {2}\.\/evil\.sh\n/);
  expect(existsSync(join(project.dir, ".ralph/progress.db"))).toBe(false);
});

test("TRUST-1 TRUST-7: secrets and control characters in tool output reach neither memory, log, prompt nor screen", async () => {
  const token = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
  project = practice({
    "check.sh": `echo "error: push with ${token} was refused"; printf '\\033]0;pwned\\007'; exit 1\n`,
  });
  await project.useWorker(
    {
      prompts: "../prompts",
      "*": [{ write: { "a.txt": "{attempt}" }, say: `I used ${token}.\n\n<task-done>{id}</task-done>` }],
    },
    'verify: ["sh check.sh"]\n',
  );
  await project.addTasks(["one"]);
  const { stdout } = await project.ralph("run", "--max-attempts", "2");
  const log = await project.ralph("log", "t-1");
  const places = [
    stdout,
    log.stdout,
    project.read("../prompts/t-1-2.txt"),
    project.read(".ralph/events.jsonl"),
  ];
  for (const place of places) {
    expect(place).toContain("was refused");
    expect(place).not.toContain(token);
    expect(place).not.toContain("\u001b]");
  }
});

const mounter = "unshare";
/** A read-only folder takes a mount where the tests run as root. */
const canMount = spawnSync(mounter, ["-m", "true"]).status === 0;

test.skipIf(!canMount).each(["state", "state/ralph"])(
  "TRUST-5 LOOP-14: approving with %s read-only names the folder and exits with 5",
  async (folder) => {
    project = cloned('verify: ["true"]\n');
    const readOnly = join(project.home, folder);
    mkdirSync(readOnly, { recursive: true });
    const approve = `mount -t tmpfs -o ro tmpfs "${readOnly}" && "${process.execPath}" "${ralphBin}" trust approve --yes`;
    const { code, stderr } = await new Promise<{ code: number | null; stderr: string }>((done) => {
      const options = { cwd: project.dir, env: project.env };
      const child = execFile(mounter, ["-m", "sh", "-c", approve], options, (_, _stdout, stderr) =>
        done({ code: child.exitCode, stderr }),
      );
    });
    expect(stderr).toMatch(/^error: cannot write .*\/home\/state\/ralph.*: the file system is read-only$/m);
    expect(stderr).toMatch(/^hint: make the folder writable, or set XDG_STATE_HOME/m);
    expect(stderr).not.toMatch(/bug|^ +at /m);
    expect(code).toBe(5);
  },
);

test("TRUST-5 UX-4: without a terminal, trust approve needs --yes", async () => {
  project = cloned('verify: ["./evil.sh"]\n');
  const { code, stderr } = await project.ralph("trust", "approve");
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/^error: nothing was approved: .*\nhint: .*--yes/),
  ]);
  expect(JSON.parse((await project.ralph("trust", "show", "--json")).stdout)).toMatchObject([
    { approved: false },
  ]);
});
