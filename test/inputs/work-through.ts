import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Practice, practice, type RunEvent } from "../e2e/practice.ts";

/** The verification of the practice project: imports every module that the agent wrote and checks its answer. */
const allTest = `import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";

for (const file of readdirSync("src").filter((name) => name.endsWith(".mjs"))) {
  test("module " + file, async () => {
    const { answer } = await import("../src/" + file);
    assert.equal(typeof answer, "function", file + " exports a function");
    assert.equal(answer(20), 42, "answer(20) of " + file);
  });
}
test("the project is there", () => assert.ok(true));
`;

const right = "export function answer(n) {\n  return n + 22; // {id}\n}\n";
/** The agent's first mistake, and the verification's own words that its retry must be told. */
const mistakes = [
  {
    wrong: "export function answer(n) {\n  return n + 23; // {id}\n}\n",
    error: /answer\(20\) of .*|43 !== 42|\+ 43/,
  },
  { wrong: "export function answer(n) {\n  return n +; // {id}\n}\n", error: /SyntaxError/ },
  {
    wrong: "import { missing } from './nowhere.mjs';\nexport const answer = missing; // {id}\n",
    error: /ERR_MODULE_NOT_FOUND|Cannot find module/,
  },
];

interface ListedTask {
  readonly id: string;
  readonly status: string;
  readonly attempts: number;
  readonly title: string;
}

export interface WorkedThrough {
  readonly project: Practice;
  readonly exitCode: number | null;
  readonly events: readonly RunEvent[];
  readonly tasks: readonly ListedTask[];
  /** Tasks that an iteration worked on (parents complete by themselves). */
  readonly worked: readonly string[];
  readonly failedFirst: readonly string[];
  /** Retries whose prompt does not hold the true error: must be empty. */
  readonly blindRetries: readonly string[];
  /** Worked tasks without exactly one commit: must be empty. */
  readonly uncommitted: readonly string[];
  readonly seconds: number;
}

/** Leaves of a Markdown checklist or tasks.yaml as the importer sees them; the source file is `text`, unticked. */
export async function workThrough(file: string, text: string): Promise<WorkedThrough> {
  const project = practice({ [file]: text, "test/all.test.mjs": allTest, "src/.keep": "" });
  await project.useWorker({}, 'verify: ["node test/all.test.mjs"]\nlimits: { maxAttempts: 3 }\n');
  const imported = await project.ralph("task", "import", file);
  if (imported.code !== 0) throw new Error(imported.stderr);
  const before = (await project.json("task", "list")) as ListedTask[];
  const script = scriptFor(before.map(({ id }) => id));
  project.setScript(script.steps);
  const started = Date.now();
  const { code, events } = await project.run();
  const seconds = (Date.now() - started) / 1000;
  const tasks = (await project.json("task", "list")) as ListedTask[];
  const worked = [...new Set(ofType(events, "iteration.finished").map(({ taskId }) => String(taskId)))];
  return {
    project,
    exitCode: code,
    events,
    tasks,
    worked,
    failedFirst: worked.filter((id) => script.errors.has(id)),
    blindRetries: blindRetries(project, script.errors),
    uncommitted: withoutCommit(project, worked),
    seconds,
  };
}

function ofType(events: readonly RunEvent[], type: string): readonly RunEvent[] {
  return events.filter((event) => event.type === type);
}

/** Every third task fails first, in turn by a wrong answer, a syntax error, a missing module; every fifth commits itself. */
function scriptFor(ids: readonly string[]) {
  const steps: Record<string, unknown> = { prompts: "../prompts" };
  const errors = new Map<string, RegExp>();
  for (const [index, id] of ids.entries()) {
    const name = `src/m${index}.mjs`;
    const commit = index % 5 === 4 ? { commit: "work of {id}\n\nRalph-Task: {id}" } : {};
    const good = { write: { [name]: right }, ...commit };
    const mistake = index % 3 === 2 ? mistakes[((index / 3) % mistakes.length) | 0] : undefined;
    if (mistake) errors.set(id, mistake.error);
    steps[id] = mistake ? [{ write: { [name]: mistake.wrong } }, good] : [good];
  }
  return { steps, errors };
}

function blindRetries(project: Practice, errors: ReadonlyMap<string, RegExp>): readonly string[] {
  const folder = join(project.dir, "../prompts");
  return readdirSync(folder)
    .filter((name) => !name.endsWith("-1.txt"))
    .filter((name) => {
      const prompt = readFileSync(join(folder, name), "utf8");
      const id = [...errors.keys()].find((key) => name.startsWith(`${key.replaceAll(/[^\w.-]/g, "_")}-`));
      const error = id === undefined ? undefined : errors.get(id);
      return !error?.test(prompt);
    });
}

function withoutCommit(project: Practice, worked: readonly string[]): readonly string[] {
  const log = project.git("log", "--format=%(trailers:key=Ralph-Task,valueonly,separator=%x2C)");
  const named = new Set(log.split("\n").filter(Boolean));
  return worked.filter((id) => !named.has(id));
}
