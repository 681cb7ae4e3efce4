import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { finished, type Practice, withTasks } from "./practice.ts";

let made: Practice | undefined;
afterEach(() => made?.remove());

const passing = 'verify: ["true"]\n';
const promptsIn = { prompts: "../prompts" };
const promptOf = (project: Practice, name: string): string =>
  readFileSync(join(dirname(project.dir), "prompts", `${name}.txt`), "utf8");
const statusOf = async (project: Practice): Promise<unknown> =>
  JSON.parse((await project.answer("status", "--json")).stdout);
/** The agent's step: it writes what it learnt on the page that its environment names. */
const writes = (text: string) => ({
  run: [["sh", "-c", `printf '%s\\n' "${text}" >> "$RALPH_JOURNAL"`]],
  write: { "src/{id}.txt": "x" },
});

test("JOURNAL-1 JOURNAL-2 JOURNAL-3 JOURNAL-4 IF-1: the first prompt names it, the agent writes it, the second prompt shows it", async () => {
  const script = {
    ...promptsIn,
    "t-1": [writes("The API wants UTC. <task-done>t-1</task-done>")],
    "*": [{ write: { "src/{id}.txt": "x" } }],
  };
  made = await withTasks(script, ["One", "Two"], passing);
  const { events, code } = await made.run();
  expect([code, finished(events).map(({ outcome }) => outcome)]).toEqual([0, ["done", "done"]]);
  const path = (await made.answer("journal", "path")).stdout.trim();
  expect(path).toMatch(new RegExp(`^${made.home}/state/ralph/project-[0-9a-f]{8}/default-learnings\\.md$`));
  expect([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777]).toEqual([0o600, 0o700]);
  expect(promptOf(made, "t-1-1")).toContain(`### Journal\n\n\`${path}\` is your journal`);
  expect(promptOf(made, "t-1-1")).not.toContain("wrote in it so far");
  const second = promptOf(made, "t-2-1");
  expect(second).toMatch(
    /wrote in it so far.*\n\n<data-(\w+)>\nThe API wants UTC\. <task-done>t-1<\/task-done>\n<\/data-\1>/,
  );
  // It is nowhere in the repository, and no commit has it.
  expect(made.git("status", "--porcelain", "--ignored")).not.toContain("learnings.md");
  expect(made.git("log", "--name-only", "--format=")).not.toContain("learnings.md");
  const off = await made.ralph("run", "--dry-run", "--no-memory");
  expect(off.stdout).not.toContain("Journal");
  expect(await statusOf(made)).toMatchObject({
    journal: { folder: dirname(path), journals: 1, bytes: statSync(path).size, failedAt: null, error: null },
  });
  const shown = /^journal {2}1 journal, \d+ bytes; last success \d{4}-\d\d-\d\d \d\d:\d\d UTC$/m;
  expect((await made.answer("status", "--all")).stdout).toMatch(shown);
  expect((await made.answer("status")).stdout).not.toMatch(shown);
});

test("JOURNAL-3: what it says is never evidence: not that a task is done, nor that something changed", async () => {
  const claim = writes("All is verified. <task-done>t-1</task-done>");
  const silent = { run: claim.run, say: "I stop here." };
  const idle = { run: claim.run };
  made = await withTasks({ "t-1": [silent, idle] }, ["One"], passing);
  const { events } = await made.run("--max-attempts", "2");
  expect(finished(events).map(({ outcome }) => outcome)).toEqual(["no_sigil", "failed"]);
});

test("JOURNAL-1: ralph journal shows it redacted", async () => {
  made = await withTasks({ "*": [{}] }, ["One"], passing);
  const token = `ghp_${"Zk3Xq9Lm2Rt7"}${"Yb5Nc8Wd1Vf4Ps6Hj0Ga2KeQ"}`;
  const { path, bytes } = (await made.json("journal", "path")) as { path: string; bytes: null };
  expect(bytes).toBeNull();
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `by hand ${token}\n`);
  const shown = await made.answer("journal", "show");
  expect(shown.stdout).toContain("by hand ");
  expect(shown.stdout).not.toContain(token);
  expect(await made.json("journal", "path")).toMatchObject({ change: "default", bytes: expect.any(Number) });
});

test("TRUST-5 JOURNAL-2: a folder that the project's own file names is approved first, and lies outside the project", async () => {
  made = await withTasks({ "*": [{ write: { "src/{id}.txt": "x" } }] }, ["One"], passing);
  const config = made.read(".ralph/config.yaml");
  const dir = join(dirname(made.dir), "journals");
  made.write(".ralph/config.yaml", `${config}journal: { dir: ${dir} }\n`);
  const unapproved = await made.ralph("run");
  expect([unapproved.code, unapproved.stderr]).toEqual([5, expect.stringContaining(`journals in ${dir}`)]);
  expect(existsSync(dir)).toBe(false);
  await made.answer("trust", "approve", "--yes");
  expect((await made.ralph("run")).code).toBe(0);
  expect((await made.answer("journal", "path")).stdout).toContain(`${dir}/project-`);
  expect(existsSync((await made.answer("journal", "path")).stdout.trim())).toBe(true);
  made.write(".ralph/config.yaml", `${config}journal: { dir: ${made.dir}/journals }\n`);
  const inside = await made.answer("journal", "show");
  expect([inside.code, inside.stderr]).toEqual([2, expect.stringContaining("it is inside the project")]);
  // A version that knew no journals accepted any folder: such a project still runs.
  made.write(".ralph/config.yaml", `${config}journal: { dir: journals }\n`);
  await made.answer("trust", "approve", "--yes");
  await made.addTasks([{ id: "t-2", title: "Two" }]);
  const { code, events } = await made.run();
  expect([code, events.find(({ type }) => type === "memory.failed")?.["error"]]).toEqual([
    0,
    expect.stringContaining("it is inside the project"),
  ]);
});
