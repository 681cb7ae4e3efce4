import { spawn } from "node:child_process";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { type Practice, ralphStart, withTasks } from "./practice.ts";

let made: Practice | undefined;
afterEach(() => made?.remove());

const parse = (stdout: string) =>
  stdout
    .split("\n")
    .filter(Boolean)
    .map((one) => JSON.parse(one) as Record<string, unknown>);

test("CTX-2: ralph events shows the log by type, as lines and as JSON without rows", async () => {
  made = await withTasks({ "*": [{ write: { "src/{id}.txt": "x" } }] }, ["One", "Two"], 'verify: ["true"]\n');
  expect((await made.run()).code).toBe(0);
  const all = parse((await made.ralph("events", "--json")).stdout);
  const logged = parse(made.read(".ralph/events.jsonl"));
  expect(all.map(({ seq, type }) => [seq, type])).toEqual(logged.map(({ seq, type }) => [seq, type]));
  expect(all.some((event) => "rows" in event)).toBe(false);
  const stories = parse((await made.ralph("events", "--json", "--type", "story_*")).stdout);
  expect(stories.map(({ type, storyId }) => [type, storyId])).toEqual([
    ["story_complete", "t-1"],
    ["story_complete", "t-2"],
  ]);
  const { stdout } = await made.ralph(
    "events",
    "--type",
    "story_complete",
    "--type",
    "loop_*",
    "--last",
    "2",
  );
  expect(stdout).toMatch(/^\d{4}-\S+Z {2}story_complete .*storyId=t-2.*\n\d{4}-\S+Z {2}loop_complete .*\n$/);
  const none = await made.ralph("events", "--type", "nope");
  expect(none).toMatchObject({ code: 0, stdout: "", stderr: expect.stringContaining("no event matches") });
  const wrong = await made.ralph("events", "--last", "some");
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('invalid --last "some"')]);
});

test("CTX-2: --follow prints what is logged meanwhile, and ends with its pipe", async () => {
  made = await withTasks({ "*": [{}] }, ["One"], 'verify: ["true"]\n');
  const { dir, env } = made;
  const argv = [...ralphStart, "events", "--follow", "--json", "--type", "task.*"];
  const child = spawn(process.execPath, argv, { cwd: dir, env, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill());
  const ended = new Promise((resolve) => child.once("exit", (code, signal) => resolve(signal ?? code)));
  let stdout = "";
  const saw = (text: string): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => void (stdout.includes(text) && resolve());
      child.stdout.on("data", look);
      look();
    });
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    stdout += chunk;
  });
  await saw('"taskId":"t-1"');
  await made.ralph("task", "add", "Later", "--id", "t-9");
  await saw('"taskId":"t-9"');
  child.stdout.destroy();
  await made.ralph("task", "add", "Last", "--id", "t-10");
  expect(await ended).toBe(0);
});
