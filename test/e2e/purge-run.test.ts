import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStore } from "../../src/store/open-store.ts";
import { type Practice, type RunEvent, verify, withTasks } from "./practice.ts";

let data = "";
let made: Practice | undefined;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), "ralph-data-"));
});
afterEach(() => {
  made?.remove();
  rmSync(data, { recursive: true, force: true });
});

/** All that an agent can state in its final message, with this word in it. */
const stated = (word: string): string => `The ${word} was converted.

<failure-report>
what_tried: converting the ${word}
why_failed: the ${word} was too long
</failure-report>
<retry-suggestion>Cut the ${word} first.</retry-suggestion>
<learning category="pitfall" tags="${word}, ledger">The exporter of the ledger needs the ${word} before its dates.</learning>
<note type="tip">Ask the ${word} for the dates of the ledger.</note>
<missing-context>the manual of the ${word}</missing-context>
<wished-skill>${word}-dates</wished-skill>
`;

/** A failed attempt, then one that passes. */
const steps = (word: string): readonly object[] => [
  { write: { "src/dates.ts": `BROKEN ${word}\n` }, say: `${stated(word)}\n<task-failed>{id}</task-failed>` },
  { write: { "src/dates.ts": "fixed {id}\n" }, say: `${stated(word)}\n<task-done>{id}</task-done>` },
];

/** Texts that prompts never show: a commit's message, which git has too, and words of the shared index, whose records are gone. */
const notMemory = /^(?:pending_commits|shared retrieval_(?:words|lists))$/;

const ownTables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'";

/** The tables of a database with the word in a row. */
async function tablesWith(word: string, path: string, hivemind = false): Promise<readonly string[]> {
  const schema = hivemind ? ({ schema: "hivemind" } as const) : {};
  const db = await openStore({ path, readOnly: true, ...schema });
  const found: string[] = [];
  try {
    for (const { name } of await db.all<{ name: string }>(ownTables)) {
      const rows = await db.all(`SELECT * FROM ${name}`);
      if (rows.some((row) => JSON.stringify(row).includes(word))) found.push(name);
    }
  } finally {
    await db.close();
  }
  return found.sort();
}

const runOf = (events: readonly RunEvent[]): string =>
  String(events.find(({ type }) => type === "run.started")?.["runId"]);

test("TRUST-4: purging a run leaves nothing that its agents stated, in any kind of memory, and all of another run", async () => {
  const titles = [
    "Convert the dates of the ledger",
    "Convert the dates of the ledger again",
    "Last dates of the ledger",
  ];
  const script = {
    prompts: "../prompts",
    "t-1": steps("zyxomat"),
    "t-2": steps("quvolith"),
    "t-3": steps("x"),
  };
  made = await withTasks(
    script,
    titles,
    `${verify}hivemind: { store: ${JSON.stringify(join(data, "shared.db"))} }\n`,
  );
  const project = made;
  const bad = runOf((await project.run("t-1")).events);
  await project.run("t-2");
  const places = async (word: string): Promise<readonly string[]> =>
    (await allPlaces(word)).filter((place) => !notMemory.test(place));
  const allPlaces = async (word: string): Promise<readonly string[]> => [
    ...(await tablesWith(word, join(project.dir, ".ralph/progress.db"))),
    ...(await tablesWith(word, join(data, "shared.db"), true)).map((name) => `shared ${name}`),
    ...(project.read(".ralph-context.json").includes(word) ? [".ralph-context.json"] : []),
    ...readdirSync(join(project.dir, ".ralph/learnings"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .filter((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8").includes(word))
      .map(() => "record file"),
  ];
  const before = await places("zyxomat");
  expect(before).toEqual(
    expect.arrayContaining(["failure_reports", "learnings", "note_contents", "record file", "task_logs"]),
  );
  const kept = await places("quvolith");
  const { code, stderr } = await project.ralph("memory", "purge", "--run", bad, "--yes");
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  expect(await places("zyxomat")).toEqual([]);
  expect(await places("quvolith")).toEqual(expect.arrayContaining([...kept]));
  await project.run("t-3");
  const prompt = project.read("../prompts/t-3-1.txt");
  expect(prompt).not.toContain("zyxomat");
  expect(prompt).toContain("quvolith");
});
