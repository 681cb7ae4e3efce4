import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Practice, practice, ralphBin, withTasks } from "./practice.ts";

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
  const { code, events } = await project.run("--name", "api", "--once");
  // 3: the limit of one iteration ended the run.
  expect(code).toBe(3);
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
    /^Session notes\nSTUCK:\n {2}- \[#1\] The API .*\nDECISION:\n {2}- \[#0\] Ask Ada\n/,
  );
  const prompt = project.read("../home/prompts/t-2-1.txt");
  expect(prompt).toMatch(
    /## Notes from Previous Iterations\n\nSTUCK:\n {2}- \[#1\] The API .*\nDECISION:\n {2}- \[#0\] Ask Ada\n\n## Task/,
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
