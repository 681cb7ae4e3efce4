import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Practice, practice } from "./practice.ts";

const secret = "Zx9Kq2Lm7Pw4Tn8Rb6Vd";
const leak = `api_token=${secret}`;
const hidden = "api_token=[redacted:secret]";

let project: Practice;
afterEach(() => project?.remove());

/** All bytes of the store and the event log. */
function storedBytes(): string {
  return ["progress.db", "progress.db-wal", "events.jsonl"]
    .map((file) => join(project.dir, ".ralph", file))
    .filter(existsSync)
    .map((path) => readFileSync(path, "latin1"))
    .join("");
}

async function ralph(...args: string[]): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const { code, stdout, stderr } = await project.ralph(...args);
  expect([args, code, `${stdout}${stderr}`.includes(secret)]).toEqual([args, 0, false]);
  return { stdout, stderr };
}

test("TRUST-1: no text of a task that is added or edited brings a secret into the store, the log or the screen", async () => {
  project = practice();
  const texts = ["-d", `why ${leak}`, "--accept", `if ${leak}`, "--tag", leak, "--file", `src/${leak}`];
  expect((await ralph("task", "add", `first ${leak}`, ...texts, "--id", "t-1")).stdout).toContain(hidden);
  await ralph("task", "add", "second", "--id", "t-2");
  await ralph("task", "edit", "t-2", "--title", `second ${leak}`, "-d", `why ${leak}`);
  await ralph("task", "split", "t-2", `part ${leak}`);
  for (const shown of [["task", "list"], ["status"], ["task", "show", "t-1", "--json"], ["task", "export"]])
    expect((await ralph(...shown)).stdout).toContain(hidden);
  expect(storedBytes()).not.toContain(secret);
});

test("TRUST-1: a verification command keeps its secret to run, with a warning; the screen and the log hide it", async () => {
  project = practice();
  const { stderr } = await ralph("task", "add", "check", "--id", "t-1", "--verify", `./check --${leak}`);
  expect(stderr).toContain("warning: the verification command contains a secret");
  expect((await ralph("task", "show", "t-1")).stdout).toContain(`./check --${hidden}`);
  expect((await ralph("task", "show", "t-1", "--json")).stdout).toContain(`./check --${hidden}`);
  expect(project.read(".ralph/events.jsonl")).not.toContain(secret);
  // The file that a person exports can be imported again.
  expect((await project.ralph("task", "export")).stdout).toContain(secret);
});

test("TRUST-1, TASK-10: an imported list keeps its secrets in the file only, is in step with it, and is ticked", async () => {
  project = practice();
  project.write("TASKS.md", `- [ ] deploy ${leak}\n  with ${leak}\n- [ ] rest\n`);
  await ralph("task", "import", "TASKS.md");
  expect(storedBytes()).not.toContain(secret);
  expect(JSON.parse((await ralph("task", "sync", "--json")).stdout)).toMatchObject([{ changes: [] }]);
  const [first] = (await project.json("task", "list")) as { id: string; title: string }[];
  expect(first?.title).toBe(`deploy ${hidden}`);
  await ralph("task", "done", first?.id ?? "");
  expect(project.read("TASKS.md")).toBe(`- [x] deploy ${leak}\n  with ${leak}\n- [ ] rest\n`);
});

test("TRUST-1: the value of an environment variable named like a secret does not reach a task", async () => {
  const value = "mellon friend nine";
  project = practice(undefined, { GATE_PASSWORD: value });
  const { stdout } = await ralph("task", "add", `open with ${value}`, "--id", "t-1");
  expect(stdout).toContain("open with [redacted:env]");
  project.write("TASKS.md", `- [ ] say ${value}\n`);
  await ralph("task", "import", "TASKS.md");
  expect(storedBytes()).not.toContain(value);
});
