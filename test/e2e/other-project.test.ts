import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, expect, test } from "vitest";
import { variants } from "../test-size.ts";
import { type Practice, practice, ralphBin, runRalph } from "./practice.ts";

// An agent that works on another project of the same user: what it writes there would reach that project's prompts.

let project: Practice;
afterEach(() => project?.remove());

const speaker = resolve(import.meta.dirname, "../fakes/speak-mcp.mjs");
const commands = [
  "task add Planted --priority critical",
  "task done t-1",
  "task fail t-1 --reason no",
  "note add planted",
  "memory store 'The planted lesson reaches the other prompt.'",
];
const tools = [
  ["task_add", { title: "Planted" }],
  ["task_done", { id: "t-1" }],
  ["task_failed", { id: "t-1", reason: "no" }],
  ["note_add", { text: "planted" }],
  ["memory_store", { lesson: "The planted lesson reaches the other prompt.", category: "pattern" }],
] as const;

async function withOther(disguise: string): Promise<string> {
  project = practice();
  const other = join(project.dir, "../other");
  mkdirSync(join(other, ".ralph"), { recursive: true });
  writeFileSync(join(other, "README.md"), "other\n");
  execFileSync("git", ["init", "-q"], { cwd: other, env: project.env });
  const typed = await runRalph(["task", "add", "Theirs", "--id", "t-1"], { dir: other, env: project.env });
  expect(typed.code).toBe(0);
  const node = process.execPath;
  const lines = [
    ...commands.map(
      (line) =>
        `${disguise} "${node}" "${ralphBin}" ${line} >> ../../said 2>&1; echo "exit $?" >> ../../said`,
    ),
    `${disguise} "${node}" "${speaker}" "${ralphBin}" ../../tools '${JSON.stringify(tools)}'`,
    `"${node}" "${ralphBin}" task list > ../../listed`,
  ];
  const run = [["sh", "-c", `cd ../other; ${lines.join("\n")}`.replaceAll("../../", "../")]];
  await project.useWorker({ "*": [{ write: { "src/a.txt": "a\n" }, run }] }, 'verify: ["true"]\n');
  await project.addTasks(["Own"]);
  expect((await project.run()).code).toBe(0);
  return other;
}

test.each(
  variants(
    [
      ["as it is", ""],
      ["without its variables", "env -u RALPH_TASK_ID -u RALPH_RUN_ID -u RALPH_MARKER"],
    ],
    1,
  ),
)(
  "LOOP-18 MEM-1: an agent reads another project and records nothing there, by commands or tools, %s",
  async (_, disguise) => {
    const other = await withOther(disguise);
    expect(project.read("../said").match(/^exit \d+$/gm)).toEqual(commands.map(() => "exit 2"));
    expect(project.read("../said")).toContain("another project");
    const { answers } = JSON.parse(project.read("../tools")) as { answers: { isError: boolean }[] };
    expect(answers.map(({ isError }) => isError)).toEqual(tools.map(() => true));
    expect(project.read("../listed")).toContain("Theirs");
    const listed = await runRalph(["task", "list", "--all", "--json"], { dir: other, env: project.env });
    expect(JSON.parse(listed.stdout)).toMatchObject([{ id: "t-1", status: "pending" }]);
    const notes = await runRalph(["note", "list", "--json"], { dir: other, env: project.env });
    expect(JSON.parse(notes.stdout)).toMatchObject({ notes: [] });
  },
);
