import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, expect, test } from "vitest";
import { finished, type Practice, ralphBin, withTasks } from "./practice.ts";

const speaker = resolve(import.meta.dirname, "../fakes/speak-mcp.mjs");

let project: Practice | undefined;

afterEach(() => project?.remove());

type Call = readonly [string, Readonly<Record<string, unknown>>];

/** A step of the scripted agent: its own program starts `ralph mcp` and calls these tools; the answers go to `file` in its home. */
const calling = (file: string, calls: readonly Call[]): readonly (readonly string[])[] => [
  [process.execPath, speaker, ralphBin, `../home/${file}`, JSON.stringify(calls)],
];

interface Spoken {
  readonly code: number;
  readonly answers: readonly { readonly name: string; readonly isError: boolean; readonly text: string }[];
}

const spoken = (made: Practice, name: string): Spoken =>
  JSON.parse(readFileSync(join(made.home, name), "utf8")) as Spoken;

/** A project whose agent does `steps`. */
async function agentThatCalls(
  steps: Readonly<Record<string, unknown>>,
  titles: readonly string[],
): Promise<Practice> {
  project = await withTasks({ prompts: "../home/prompts", ...steps }, titles);
  return project;
}

const lesson = "The greeting must end with a dot, or the release check refuses it.";

const typed = "The release check of a greeting reads the file as UTF-8.";

interface Listed {
  readonly id: string;
  readonly lesson: string;
  readonly saidHelpful: number;
  readonly tags: readonly string[];
  readonly provenance: Readonly<Record<string, unknown>>;
}

test("LEARN-2: what an agent stores through ralph mcp stands in a later prompt, and its verdict there counts once", async () => {
  const made = await agentThatCalls(
    {
      "t-1": [
        {
          write: { "src/one.txt": "hello." },
          run: [
            ...calling("one.json", [
              ["memory_store", { lesson, category: "pitfall", tags: ["greeting", "release"] }],
            ]),
            [process.execPath, ralphBin, "memory", "store", typed],
          ],
        },
      ],
      "t-2": [
        {
          write: { "src/two.txt": "bye." },
          run: [[process.execPath, "-e", judgeShown, speaker, ralphBin, "../home/two.json"]],
        },
      ],
    },
    ["Write the greeting", "Change the greeting for the release check"],
  );
  const { code, events } = await made.run();
  expect(code).toBe(0);
  expect(finished(events).map(({ outcome, warnings }) => [outcome, warnings])).toEqual([
    ["done", []],
    ["done", []],
  ]);
  const [stored] = spoken(made, "one.json").answers;
  expect(stored).toMatchObject({ isError: false, text: expect.stringContaining('"isNew":true') });
  expect(made.read("../home/prompts/t-1-1.txt")).not.toContain(lesson);
  expect(made.read("../home/prompts/t-2-1.txt")).toContain(lesson);
  const { answers, code: left } = spoken(made, "two.json");
  expect(left).toBe(0);
  expect(answers.map(({ name, isError }) => [name, isError])).toEqual([
    ["memory_feedback", false],
    ["memory_feedback", false],
    ["memory_feedback", false],
    ["memory_store", true],
    ["memory_search", false],
  ]);
  expect(answers[3]?.text).toContain("this session's prompt already contains it");
  expect(answers[4]?.text).toContain(lesson);
  const learnings = (await made.json("memory", "list")) as Listed[];
  const whence = {
    task: "t-1",
    runId: expect.stringMatching(/^run-/),
    iterationId: expect.stringMatching(/^i-/),
    model: expect.stringMatching(/^(small|large)$/),
  };
  const judged = learnings.find((one) => one.lesson === lesson);
  expect(judged).toMatchObject({
    category: "pitfall",
    saidHelpful: 1,
    shownPassed: 1,
    timesSeen: 1,
    provenance: { source: "tool", ...whence },
  });
  expect(learnings.find((one) => one.lesson === typed)).toMatchObject({
    provenance: { source: "agent", ...whence },
  });
  expect(events.at(-1)).toMatchObject({
    report: {
      memory: {
        captured: [{ what: "learning", count: 2 }],
        shown: [{ what: "learning", count: 2 }],
        helped: [{ id: judged?.id, how: expect.stringContaining("its agent called it helpful") }],
      },
    },
  });
});

/** Reads the id of the shown memory off the prompt, and judges it three times. */
const judgeShown = `
const { execFileSync } = require("node:child_process");
const { readFileSync } = require("node:fs");
const [speaker, bin, file] = process.argv.slice(1);
const prompt = readFileSync(require("node:path").join(file, "../prompts/t-2-1.txt"), "utf8");
const line = prompt.split("\\n").find((one) => one.includes(${JSON.stringify(lesson)}));
const id = /\\bl-[0-9a-f]{6}\\b/.exec(line)[0];
const said = ["memory_feedback", { id, verdict: "helpful" }];
const echo = ["memory_store", { lesson: ${JSON.stringify(lesson)} }];
execFileSync(process.execPath, [speaker, bin, file, JSON.stringify([said, said, said, echo, ["memory_search", { query: "greeting dot" }]])]);
`;

test("LOOP-4: task_done and task_failed in an iteration are claims: of its own task alone, and verification decides", async () => {
  const made = await agentThatCalls(
    {
      "t-1": [
        {
          write: { "src/one.txt": "BROKEN" },
          say: "I said it through the tool.",
          run: calling("first.json", [
            ["task_done", { id: "t-1" }],
            ["task_done", { id: "t-2" }],
            ["task_failed", { id: "t-2" }],
          ]),
        },
        {
          write: { "src/one.txt": "fine" },
          say: "I said it through the tool.",
          run: calling("second.json", [
            ["task_done", { id: "t-1" }],
            ["task_add", { title: "Tidy up", after: ["t-2"], priority: "low" }],
          ]),
        },
      ],
      "t-2": [
        {
          say: "It cannot be done.",
          run: calling("third.json", [["task_failed", { id: "t-2", reason: "no" }]]),
        },
      ],
    },
    ["One", "Two"],
  );
  const { events } = await made.run("--max-iterations", "3");
  expect(
    finished(events).map(({ taskId, outcome, verification }) => [taskId, outcome, verification]),
  ).toEqual([
    ["t-1", "failed", "failed"],
    ["t-1", "done", "passed"],
    ["t-2", "failed", null],
  ]);
  const first = spoken(made, "first.json").answers;
  expect(first.map(({ isError }) => isError)).toEqual([false, true, true]);
  expect(first[0]?.text).toContain("ralph verifies it when your session ends");
  expect(first[1]?.text).toContain("cannot mark t-2 as done: your current task is t-1");
  const tasks = (await made.json("task", "list")) as Record<string, unknown>[];
  expect(tasks.map(({ title, status, blockedBy }) => [title, status, blockedBy])).toEqual([
    ["One", "done", []],
    ["Two", "pending", []],
    ["Tidy up", "pending", ["t-2"]],
  ]);
});
