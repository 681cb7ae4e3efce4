import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { Row } from "../../src/store/db.ts";
import { openStore } from "../../src/store/open-store.ts";
import { type Practice, practice, verify } from "./practice.ts";

let made: Practice[] = [];
const data = mkdtempSync(join(tmpdir(), "ralph-data-"));
afterEach(() => {
  for (const one of made) one.remove();
  made = [];
  rmSync(data, { recursive: true, force: true });
});

const checkScript = `cd src || exit 1
grep -q BROKEN * || exit 0
echo "src/dates.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'."
exit 2
`;
const title = "Convert the dates of the ledger export into numbers";
const purged = "The quartz resonator of the exporter needs a second start.";
const learning = (text: string, category = "success_pattern"): string =>
  `<learning category="${category}" tags="ios26">${text}</learning>`;
const says = {
  "s-1": learning("Use .glassEffect() not .background(.thinMaterial)", "other"),
  "s-2": `${learning("GlassEffectContainer required for morphing")}
${learning("Used .background(.ultraThinMaterial), which is deprecated in iOS 26. Use .glassEffect() instead.", "pitfall")}`,
  "s-3": learning("@Namespace + glassEffectID for smooth transitions"),
  "p-1": `<learning category="pitfall">${purged}</learning>\n<note type="tip">Start the quartz twice.</note>`,
};
const steps = Object.entries(says).map(([id, text]) => [
  id,
  [{ write: { [`src/${id}.swift`]: "fine" }, say: `${text}\n<task-done>${id}</task-done>` }],
]);
const failsOnce = [
  {
    write: { "src/dates.ts": "BROKEN {id}\n" },
    say: `<note type="stuck">Text is no date.</note>\n<task-done>{id}</task-done>`,
  },
  {
    write: { "src/dates.ts": "fixed {id}\n" },
    say: "The export hands over dates as text: convert each of them with a parser.\n<task-done>{id}</task-done>",
  },
];

async function project(name: string): Promise<Practice> {
  const one = practice({ "check.sh": checkScript, "src/base.txt": "ok\n" }, { XDG_DATA_HOME: data });
  made.push(one);
  one.git("remote", "add", "origin", `git@github.com:me/${name}.git`);
  await one.useWorker(
    { ...Object.fromEntries(steps), "s-4": [{ write: { "src/s-4.swift": "fine" } }], "*": failsOnce },
    verify,
  );
  await one.addTasks([title]);
  return one;
}

/** What is true only while processes live, and the search index, which is made from other tables. */
const notRebuilt =
  /^(?:claims|runs|iterations|pending_commits|workspace_state|outbox|retrieval_\w+|text_vectors|sqlite_\w+)$/;
/** The tables that this test leaves empty; every other table of tasks and memory has to have rows that a rebuild restores. */
const unused = ["interruptions", "memory_archive", "memory_rollups"];

async function tablesOf({ dir }: Practice): Promise<Readonly<Record<string, readonly Row[]>>> {
  const db = await openStore({ path: join(dir, ".ralph/progress.db"), history: null });
  try {
    const found: Record<string, readonly Row[]> = {};
    for (const { name, columns } of await db.dialect.tables()) {
      if (notRebuilt.test(name)) continue;
      const order = columns.map((column) => column.name).join(", ");
      found[name] = await db.all(`SELECT * FROM ${name} ORDER BY ${order}`);
    }
    return found;
  } finally {
    await db.close();
  }
}

/** Returns the tables, the search index included, in which a word is. */
async function tablesWith({ dir }: Practice, word: string): Promise<readonly string[]> {
  const db = await openStore({ path: join(dir, ".ralph/progress.db"), history: null });
  try {
    const found: string[] = [];
    for (const { name } of await db.dialect.tables()) {
      if (JSON.stringify(await db.all(`SELECT * FROM ${name}`)).includes(word)) found.push(name);
    }
    return found;
  } finally {
    await db.close();
  }
}

test("CTX-3 TRUST-4: the log rebuilds every table of tasks and memory, and nothing that was purged comes back", async () => {
  await (await project("ledger")).run();
  const one = await project("invoices");
  expect((await one.run()).code).toBe(0);
  const tags = ["ios26", "swiftui"];
  await one.addTasks([1, 2, 3].map((n) => ({ id: `s-${n}`, title: `Glass for page ${n}`, tags })));
  expect((await one.run("--max-iterations", "3")).code).toBe(0);
  const { proposals } = (await one.json("skills", "list")) as { proposals: { id: string }[] };
  expect((await one.ralph("skills", "accept", `${proposals[0]?.id}`)).code).toBe(0);
  await one.addTasks([{ id: "s-4", title: "Glass for page 4", tags, after: ["s-3"] }]);
  await one.ralph("message", "Mind the toolbar");
  await one.run();
  const { id } = (await one.json("memory", "store", "Amounts are in cents", "--tags", "money")) as Row;
  await one.ralph("memory", "share", `${id}`);
  await one.addTasks([{ id: "p-1", title: "Start the exporter" }]);
  const { events } = await one.run();
  const learnings = (await one.json("memory", "list")) as { id: string; lesson: string }[];
  const secret = learnings.find(({ lesson }) => lesson === purged);
  expect((await one.ralph("memory", "share", `${secret?.id}`)).code).toBe(0);
  expect((await one.ralph("memory", "purge", "--run", `${events[0]?.["jobId"]}`, "--yes")).code).toBe(0);

  const before = await tablesOf(one);
  const empty = Object.keys(before).filter((name) => before[name]?.length === 0);
  expect(empty.sort()).toEqual(unused);
  expect(Object.keys(before).filter((name) => JSON.stringify(before[name]).includes("quartz"))).toEqual([]);
  for (const end of ["", "-wal", "-shm"]) rmSync(join(one.dir, `.ralph/progress.db${end}`), { force: true });
  expect((await one.ralph("doctor", "--repair")).stdout).toContain("rebuilt the store");
  expect(await tablesOf(one)).toEqual(before);

  // What was sent is not sent again, and what was purged is nowhere but in the log.
  await one.addTasks([{ id: "t-9", title: "Something else" }]);
  await one.run();
  expect(await one.json("status")).toMatchObject({ hivemind: { pending: 0, problem: null } });
  expect(one.read(".ralph-context.json")).not.toContain("quartz");
  expect(await tablesWith(one, "quartz")).toEqual([]);
  const hivemind = await openStore({
    path: join(data, "ralph/hivemind.db"),
    readOnly: true,
    schema: "hivemind",
    history: null,
  });
  const contents = await hivemind.all<{ content: string }>("SELECT content FROM hivemind_memories");
  await hivemind.close();
  expect(contents.map(({ content }) => content).filter((content) => /cents|quartz/.test(content))).toEqual([
    "Amounts are in cents",
  ]);
}, 120_000);
