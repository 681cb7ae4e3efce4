import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, expect, test } from "vitest";
import { safe } from "../../src/base/safe-text.ts";
import { noteTypeNames, openNoteActions } from "../../src/memory/note-actions.ts";
import { openTempStoreAt } from "../temp-store.ts";
import { type Practice, practice, ralphBin, runRalph, verify, withTasks } from "./practice.ts";

const speaker = resolve(import.meta.dirname, "../fakes/speak-mcp.mjs");
let project: Practice | undefined;

afterEach(() => project?.remove());

const calls = JSON.stringify([
  ["note_list", {}],
  ["note_add", { content: `The API allows 100 requests a minute: ${"back off ".repeat(5)}`, type: "stuck" }],
  ["note_list", { type: "stuck" }],
  ["note_add", { content: "x", type: "rumour" }],
]);

test("NOTE-1, NOTE-3, NOTE-4, NOTE-5: a note from ralph mcp reaches later prompts, runs and people", async () => {
  project = await withTasks(
    {
      prompts: "../home/prompts",
      "t-1": [
        {
          write: { "src/one.txt": "1" },
          run: [[process.execPath, speaker, ralphBin, "../home/notes.json", calls]],
        },
      ],
      "t-2": [{ write: { "src/two.txt": "2" } }],
    },
    ["Call the API", "Draw the widget"],
  );
  const { code, events } = await project.run("--name", "a\u001b[31mpi", "--once");
  // 3: the limit of one iteration ended the run.
  expect(code).toBe(3);
  const db = await openTempStoreAt(project.dir);
  expect(await db.get("SELECT session FROM runs")).toEqual({ session: "api" });
  const { answers } = JSON.parse(readFileSync(join(project.home, "notes.json"), "utf8")) as {
    answers: readonly { readonly isError: boolean; readonly text: string }[];
  };
  expect(answers.map(({ text }) => text.split("\n")[0])).toEqual([
    "No notes yet",
    expect.stringMatching(/^Note added: \[stuck\] The API allows 100 requests a minute: .{12}\.\.\.$/),
    "STUCK:",
    expect.stringContaining("rumour"),
  ]);
  expect(answers[2]?.text).toContain("\n  - [#1] The API allows");
  expect(answers[3]?.isError).toBe(true);
  expect(project.read("../home/prompts/t-1-1.txt")).not.toContain("## Notes");

  await project.ralph("note", "add", "Ask Ada", "--type", "decision", "--name", "api");
  const second = await project.ralph("run", "--name", "api");
  expect(second.stdout).toMatch(
    /^Session history\n {2}#1 t-1 attempt 1: done \(verified by 1 command\)\nSession notes\nSTUCK:\n {2}- \[#1\] The API .*\nDECISION:\n {2}- \[#0\] Ask Ada\n/,
  );
  const prompt = project.read("../home/prompts/t-2-1.txt");
  expect(prompt).toMatch(
    /\n\n## Notes from Previous Iterations\n\n<(data-[0-9a-f]{12})>\nSTUCK:\n {2}- \[#1\] The API .*\nDECISION:\n {2}- \[#0\] Ask Ada\n<\/\1>\n\n#/,
  );
  expect(await project.json("status")).toMatchObject({ memory: { notes: 2 } });
  const runId = `${events.find((event) => event["runId"])?.["runId"]}`;
  expect(await project.json("memory", "purge", "--run", runId, "--yes")).toMatchObject({ notes: 1 });
  expect((await project.ralph("note", "list", "--name", "api")).stdout).toBe("DECISION:\n  - [#0] Ask Ada\n");
});

test("NOTE-4, NOTE-5: people add and list notes of the branch's session, filtered by type", async () => {
  project = practice();
  await project.ralph("init", "--yes");
  expect((await project.ralph("note", "list")).stdout).toBe("No notes yet\n");
  expect((await project.ralph("note", "add", "Use UTC")).stdout).toBe("Note added: [tip] Use UTC\n");
  await project.ralph("note", "add", "Zones fail", "--type", "stuck");
  expect((await project.ralph("note", "list")).stdout).toBe(
    "STUCK:\n  - [#0] Zones fail\nTIP:\n  - [#0] Use UTC\n",
  );
  const branch = project.git("rev-parse", "--abbrev-ref", "HEAD").trim();
  expect(await project.json("note", "list", "--type", "tip")).toMatchObject({
    session: branch,
    notes: [{ type: "tip", iteration: 0, content: "Use UTC" }],
  });
  expect((await project.ralph("note", "list", "--name", "other")).stdout).toBe("No notes yet\n");
  const wrong = await project.ralph("note", "add", "x", "--type", "rumour");
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("stuck, learning, tip, decision")]);
});

/** Adds 12 notes of alternating types to the session of the branch, as people would. */
async function addNotes(made: Practice): Promise<void> {
  const db = await openTempStoreAt(made.dir);
  for (let n = 1; n <= 12; n += 1) {
    const now = () => new Date(Date.UTC(2026, 2, 1, 10, n));
    const notes = await openNoteActions({ db, session: safe`main`, iteration: null, now });
    const type = noteTypeNames[n % noteTypeNames.length] ?? "tip";
    await notes.add(type, `Remark ${n} about the API`);
  }
}

test("NOTE-4, PROMPT-2: notes have their colours, and context and the event log name those without room", async () => {
  const config = `${verify}memory: { sections: { notes: 200 } }\n`;
  project = await withTasks({ "t-1": [{ write: { "src/one.txt": "1" } }] }, ["Call the API"], config);
  await addNotes(project);
  const explained = (await project.ralph("context", "t-1", "--explain")).stdout;
  expect(explained).toMatch(
    /\n {2}left out of notes {2}10\n {4}note #0 {2}no room: 200 characters were left for/,
  );
  // The budget covers the heading and the lines of the fence.
  const section = /## Notes from Previous Iterations\n\n<(data-[0-9a-f]{12})>\n[\s\S]*?\n<\/\1>/.exec(
    explained,
  );
  const shown = `${section?.[0]}`;
  expect(shown).toContain("\n(10 older notes not shown)\n");
  expect(shown.length).toBeLessThanOrEqual(200);
  expect(shown.length + "\nTIP:\n  - [#0] Remark 10 about the API".length).toBeGreaterThan(200);
  expect(explained).toContain("; tip “Remark 10 about the API”");
  expect(explained).toContain("; learning “Remark 9 about the API”");
  expect(explained).not.toContain("“Remark 11 about the API”");
  const colours = { ...project.env, FORCE_COLOR: "1" };
  const { stdout } = await runRalph(["run"], { dir: project.dir, env: colours });
  const lines = [
    ["31", "STUCK:", 4, 8, 12],
    ["32", "LEARNING:", 1, 5, 9],
    ["36", "TIP:", 2, 6, 10],
    ["33", "DECISION:", 3, 7, 11],
  ].flatMap(([colour, title, ...numbers]) =>
    [title, ...numbers.map((n) => `  - [#0] Remark ${n} about the API`)].map(
      (line) => `\u001b[${colour}m${line}\u001b[0m`,
    ),
  );
  expect(stdout.split("\n").slice(0, 17)).toEqual(["Session notes", ...lines]);
  const listed = await runRalph(["note", "list", "--type", "tip"], { dir: project.dir, env: colours });
  expect(listed.stdout.split("\n")).toEqual([...lines.slice(8, 12), ""]);
  const started = project
    .read(".ralph/events.jsonl")
    .split("\n")
    .find((line) => line.includes('"iteration.started"'));
  expect((JSON.parse(`${started}`) as { dropped: string[] }).dropped).toContainEqual(
    "notes note #0: no room",
  );
});
