import { execFile } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { type Practice, practice } from "../e2e/practice.ts";
import { onlyInLongForm } from "../test-size.ts";
import { killRalph, kills } from "./kill-ralph.ts";

// Code that an agent wrote runs outside of its session, as the verification of a person's command or before the first attempt: it
// writes into the store, or moves HEAD, and kills ralph, so that nobody compares anything at its end. The default suite takes the
// first of each list; `npm run test:crash` takes all.

const writer = join(import.meta.dirname, "../fakes/write-store.mjs");

let project: Practice;
afterEach(() => project?.remove());

/** A project whose verification runs `../evil.sh` once, as soon as it is there. */
async function projectWith(config = ""): Promise<void> {
  const once = "[ -e ../evil.sh ] && mv ../evil.sh ../running.sh && sh ../running.sh\ntrue\n";
  project = practice({ "check.sh": once, "src/base.txt": "ok\n" });
  const settings = `verify: ["sh check.sh"]\nsandbox: off\n${config}`;
  await project.useWorker({ "*": [{ write: { "src/{id}.txt": "fine\n" } }] }, settings);
  await project.addTasks(["one", "two"]);
  expect((await project.ralph("run", "t-1")).code).toBe(0);
  project.write("notes.txt", "a person's\n");
}

const evil = (script: string): void => writeFileSync(join(dirname(project.dir), "evil.sh"), script);
const sql = (statement: string): string => `"${process.execPath}" "${writer}" "${statement}"`;

async function statuses(): Promise<readonly string[]> {
  const all = (await project.json("task", "list", "--all")) as { status: string }[];
  return all.map(({ status }) => status);
}

/** A record of the working tree by which everything since the first commit is another task's unfinished work. */
function forgedTree(): string {
  const root = project.git("rev-list", "--max-parents=0", "HEAD");
  const baseline = { head: root, branch: "refs/heads/main", untracked: [], dirty: [] };
  const at = { head: project.git("rev-parse", "HEAD"), branch: "refs/heads/main" };
  const removal = { ref: "refs/ralph/rollback/x-1", paths: ["notes.txt"], committed: ["src/t-1.txt"], at };
  const state = JSON.stringify({ baseline, removal, finished: [] }).replaceAll('"', '\\"');
  return sql(
    `INSERT OR REPLACE INTO workspace_state (id, task_id, baseline, salvages) VALUES (1, 't-2', '${state}', '{}')`,
  );
}

test.each(kills(["run", "verify", "doctor"], 1))(
  "TRUST-10 LOOP-22: what verification writes into the store before it kills `ralph %s` is put back",
  async (command) => {
    await projectWith(command === "run" ? "verifyBaseline: auto\n" : "");
    if (command === "run") project.git("commit", "-q", "--allow-empty", "-m", "a person's");
    if (command === "run") project.write("src/base.txt", "edited\n");
    if (command === "run") project.git("commit", "-qam", "more of a person's");
    const before = project.git("rev-parse", "HEAD");
    evil(
      `${sql("UPDATE tasks SET status = 'done' WHERE id = 't-2'")}\n${forgedTree()}\n${killRalph}\nsleep 20\n`,
    );
    expect((await project.start(command)).signal).toBe("SIGKILL");
    // A person's edit records the row again.
    await project.ralph("task", "edit", "t-2", "--title", "two, better");
    expect(await statuses()).toEqual(["done", "pending"]);
    const { code, events } = await project.run();
    expect(code).toBe(0);
    expect(JSON.stringify(events)).toContain("put back the record of the working tree");
    expect(project.git("rev-parse", "HEAD~1")).toBe(before);
    expect(project.read("notes.txt")).toBe("a person's\n");
    expect(project.git("show", "--format=", "--name-only", "HEAD")).toBe("src/t-2.txt");
  },
);

test("TRUST-10 LOOP-22: a run that verification names before it kills ralph does not hold the project", async (context) => {
  onlyInLongForm(context, "RALPH_TEST_KILLS");
  await projectWith("verifyBaseline: auto\n");
  project.write("src/base.txt", "edited\n");
  project.git("commit", "-qam", "a person's");
  const living = execFile("sleep", ["60"]);
  const start = `$(sed 's/.*) //' /proc/${living.pid}/stat | cut -d ' ' -f 20)`;
  const columns = "agent, model, strategy, session, branch, boot_id, host";
  const planted = `INSERT INTO runs (id, started_at, pid, start_time, ${columns})
    SELECT 'run-planted', started_at, ${living.pid}, '${start}', ${columns} FROM runs LIMIT 1`;
  evil(`${sql(planted)}\n${killRalph}\nsleep 20\n`);
  try {
    expect((await project.start("run")).signal).toBe("SIGKILL");
    const { code, stderr } = await project.ralph("run");
    expect([code, stderr]).toEqual([0, expect.stringContaining("ended run run-planted in the store")]);
  } finally {
    living.kill("SIGKILL");
  }
});

test.each(kills([["init", "--verify", "sh ./check.sh"], ["doctor"], ["verify"]], 1))(
  "TRUST-10: what verification changes of the record of the working tree is put back when ralph %s lives on",
  async (...command) => {
    await projectWith();
    evil(forgedTree());
    const { code, stderr } = await project.ralph(...command);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/put back the record of the working tree/)]);
    if (command[0] === "init") project.git("commit", "-qam", "settings");
    const before = project.git("rev-parse", "HEAD");
    expect((await project.ralph("run")).code).toBe(0);
    expect(project.git("rev-parse", "HEAD~1")).toBe(before);
  },
);

test("TRUST-10: ralph verify names where HEAD was when the code that it runs moves it", async () => {
  await projectWith();
  const before = project.git("rev-parse", "--short=12", "HEAD");
  evil("git reset -q --hard HEAD~1\n");
  const { code, stderr } = await project.ralph("verify");
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining(`HEAD moved from main at ${before} to main at`),
  ]);
});

test("TRUST-10 LOOP-11: a run that begins while ralph verify runs does not take its code for a killed agent's", async (context) => {
  onlyInLongForm(context, "RALPH_TEST_KILLS");
  await projectWith();
  evil("touch ../verifying; while [ ! -e ../go ]; do sleep 0.05; done\n");
  const verifying = project.start("verify");
  while (!existsSync(join(project.dir, "../verifying"))) await sleep(20);
  expect((await project.ralph("run")).code).toBe(0);
  copyFileSync("/dev/null", join(project.dir, "../go"));
  expect(await verifying).toMatchObject({ code: 0, signal: null });
});

test.each(kills(["mkfifo", "ln -s ../elsewhere", "touch"], 0))(
  "TRUST-10 TRUST-11: what git would execute is put back also where `%s` took the place of ralph's folders",
  async (make) => {
    await projectWith();
    mkdirSync(join(project.dir, "../elsewhere"));
    const plant =
      "git config filter.p.clean 'touch ../marked; cat'; echo '* filter=p' > .git/info/attributes";
    const replace = ["put-aside", "tmp"].map((name) => `rm -rf .ralph/${name}; ${make} .ralph/${name}`);
    evil(`mkdir -p .git/info; ${plant}\n${replace.join("\n")}\n`);
    const { code, stderr } = await project.ralph("verify");
    expect([code, stderr]).toEqual([0, expect.stringMatching(/put back \.git\/config/)]);
    expect(project.git("config", "--local", "--list")).not.toContain("filter.p");
    expect(readdirSync(join(project.dir, "../elsewhere"))).toEqual([]);
    expect((await project.ralph("verify")).code).toBe(0);
  },
);
