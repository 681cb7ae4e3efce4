import { appendFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Practice, practice } from "./practice.ts";

// No rule recognizes it: it is a secret by the name of its variable.
const value = "mellon friend nine";
let project: Practice;

beforeAll(async () => {
  project = practice({ "opened.txt": "" }, { GATE_API_TOKEN: value, XDG_DATA_HOME: "" });
  const open = ["sh", "-c", `printf '%s\\n' "$GATE_API_TOKEN" > opened.txt`];
  await project.useWorker({ "*": [{ run: [open] }] }, 'verify: ["true"]\n');
  await project.addTasks(["open the gate"]);
});
afterAll(() => project?.remove());

/** All bytes of the stores and the event log. */
function storedBytes(): string {
  return ["progress.db", "progress.db-wal", "events.jsonl"]
    .map((file) => join(project.dir, ".ralph", file))
    .concat(["", "-wal"].map((end) => join(project.home, `.local/share/ralph/hivemind.db${end}`)))
    .filter(existsSync)
    .map((path) => readFileSync(path, "latin1"))
    .join("");
}

async function ralph(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await project.ralph(...args);
  const shows = stdout.includes(value) || stderr.includes(value);
  expect([args, code, shows, code === 0 || stdout]).toEqual([args, 0, false, true]);
  return stdout;
}

test("TRUST-1: no command stores the value of an environment variable named like a secret", async () => {
  expect(await ralph("note", "add", `the gate opens with ${value}`)).toContain("[redacted:env]");
  const lesson = ["memory", "store", `The gate of the parser opens with ${value} in src/gate.ts`];
  await ralph(...lesson, "--category", "pitfall");
  await ralph(...lesson, "--collection", "hivemind");
  const [learning] = (await project.json("memory", "list")) as { readonly id: string }[];
  await ralph("memory", "edit", `${learning?.id}`, "--text", `The gate opens with ${value}, as ever`);
  await ralph("message", `say ${value}`);
  expect(await ralph("memory", "list")).toContain("[redacted:env]");
  expect(storedBytes()).not.toContain(value);
});

test("TRUST-1, UX-3: what a task changed and its prompt are shown without such a value, also to a pipe", async () => {
  await ralph("run");
  expect(await ralph("diff", "t-1")).toContain("+[redacted:env]");
  expect(await ralph("diff", "t-1", "--json")).toContain("+[redacted:env]");
  // As an agent may put something else in the place of a prompt.
  const logs = join(project.dir, ".ralph/logs");
  const files = readdirSync(logs, { recursive: true, encoding: "utf8" });
  for (const file of files.filter((name) => name.endsWith(".md"))) appendFileSync(join(logs, file), value);
  expect(await ralph("prompt", "show", "t-1")).toContain("[redacted:env]");
  expect(await ralph("task", "export")).toContain("open the gate");
});
