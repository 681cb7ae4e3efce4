import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { copyOf, finished, jsonLines, type Practice, practice, ralphBin } from "./practice.ts";

let project: Practice | undefined;

afterEach(() => project?.remove());

const lesson = "The greeting must end with a dot, or the release check refuses it.";

/** Fails once, then succeeds with a learning; the second task is shown it and calls it helpful. */
async function learningProject(config = ""): Promise<Practice> {
  project = practice();
  const made = project;
  const say = (text: string): string =>
    `Ended the greeting with a dot.\n\n${text}\n\n<task-done>{id}</task-done>`;
  await made.useWorker(
    {
      prompts: `${made.home}/prompts`,
      "t-1": [
        { write: { "greeting.txt": "hello" } },
        {
          write: { "greeting.txt": "hello." },
          say: say(`<learning category="pitfall" tags="greeting, release">${lesson}</learning>`),
        },
      ],
      "t-2": [
        { write: { "greeting.txt": "good day" } },
        { write: { "greeting.txt": "good day." }, say: say("") },
      ],
    },
    `verify: ["grep -q '[.]$' greeting.txt || { echo 'Error: greeting has no dot'; exit 1; }"]\n${config}`,
  );
  await made.addTasks([
    "Write the greeting",
    { id: "t-2", title: "Change the greeting for the release check", after: ["t-1"] },
  ]);
  return made;
}

/** `learningProject` after its run: run once, a copy for each test. */
let learned: Promise<Practice> | undefined;
afterAll(async () => (await learned)?.remove());
async function afterRun(): Promise<Practice> {
  learned ??= learningProject().then(async (made) => {
    project = undefined;
    expect((await made.run()).code).toBe(0);
    return made;
  });
  project = copyOf(await learned);
  await project.approveConfig();
  return project;
}

test("LEARN-5, LEARN-6, FAIL-5: what one task learns, the next is told, ranked by its error, and credited", async () => {
  const made = await afterRun();
  const prompt = (name: string): string => made.read(`../home/prompts/${name}.txt`);
  expect(prompt("t-1-1")).not.toContain("### Learnings");
  expect(prompt("t-1-1")).not.toContain("memory-used");
  expect(prompt("t-2-1")).toMatch(/### Learnings from Previous Iterations\n\n.*\n\n<data-\w+>\n- \*\*\[/);
  expect(prompt("t-2-1")).toContain(lesson);
  expect(prompt("t-2-1")).toContain('<memory-used id="l-…" verdict="helpful|harmful"/>');
  const section = prompt("t-2-2").split("### Learnings from Previous Iterations")[1] ?? "";
  expect(section.split("\n- ")[1]).toContain("ended the error of your last attempt");
  const listed = (await made.json("memory", "list")) as {
    id: string;
    lesson: string;
    shownPassed: number;
    timesShown: number;
  }[];
  const one = listed.find((learning) => learning.lesson === lesson);
  expect(one).toMatchObject({ timesShown: 2, shownPassed: 1, shownFailed: 1 });
  const why = (await made.ralph("memory", "why", `${one?.id}`)).stdout;
  expect(why).toMatch(/captured by agent in run-/);
  expect(why).toMatch(/shown at rank \d to attempt 1 of t-2; outcome failed \(failed\)/);
  expect(why).toMatch(/shown at rank \d to attempt 2 of t-2; outcome done \(passed\)/);
  const status = (await made.json("status")) as { memory: { learnings: number } };
  expect(status.memory.learnings).toBe(listed.length);
  const lift = await made.ralph("memory", "lift");
  expect(lift.stdout).toContain("not enough data");
  expect(lift.stdout).toContain(`${one?.id} shown 2, passed 1, failed 1; helped 1, misled 0: `);
  // Of all projects, the numbers alone.
  const folder = join(made.home, "state/ralph/lift");
  for (const file of readdirSync(folder))
    expect(readFileSync(join(folder, file), "utf8")).toMatch(
      /^\{"shown":2,"shownPassed":1,"held":0,"heldPassed":0\}\n$/,
    );
  writeFileSync(join(folder, "0.json"), '{"shown":100,"shownPassed":90,"held":100,"heldPassed":20}');
  writeFileSync(join(folder, "1.json"), '{"shown":1,"shownPassed":2,"held":0,"heldPassed":0}');
  expect((await made.ralph("memory", "lift")).stdout).toMatch(
    /in \d projects: 9\d of 10\d attempts with learnings verified, 20 of 100 held out; lift: \+\d\d\.\d points \(95%: /,
  );
});

test("LEARN-6: with --holdout 1 no prompt has learnings, failure reports stay, and it is recorded", async () => {
  const made = await learningProject();
  await made.run("--holdout", "1");
  const prompt = made.read("../home/prompts/t-2-2.txt");
  expect(prompt).not.toContain("### Learnings");
  expect(prompt).toContain("### Previous Attempts");
  const lift = (await made.json("memory", "lift")) as {
    with: { attempts: number };
    without: { attempts: number };
  };
  expect([lift.with.attempts, lift.without.attempts]).toEqual([0, 2]);
});

test("LEARN-6, TRUST-4: a wrong date, an unknown run and a rehearsed purge are told as they are; a written file too", async () => {
  const made = await afterRun();
  const since = await made.ralph("memory", "lift", "--since", "yesterday");
  expect([since.code, since.stderr]).toEqual([2, expect.stringContaining("a date such as 2026-01-01")]);
  expect((await made.ralph("memory", "lift", "--since", "2026-01-01")).code).toBe(0);

  const unknown = await made.ralph("memory", "purge", "--run", "run-nonsense", "--yes");
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("run not found: run-nonsense")]);
  const [{ provenance }] = (await made.json("memory", "list")) as [{ provenance: { runId: string } }];
  const purge = ["memory", "purge", "--run", provenance.runId] as const;
  const { failureReports } = (await made.json(...purge, "--dry-run")) as { failureReports: number };
  expect(failureReports).toBe(2);
  expect(await made.json("memory", "export", "all.jsonl")).toMatchObject({
    success: true,
    file: "all.jsonl",
  });
  expect(await made.json(...purge, "--yes")).toMatchObject({ failureReports });
  expect(await made.json(...purge, "--yes")).toMatchObject({ purged: [], failureReports: 0 });
});

test("LEARN-8: a long run merges learnings while an agent works, and what it writes then is not taken for the agent's", async () => {
  project = practice({ "src/base.txt": "x" });
  const made = project;
  const learnt = (n: string): string =>
    `Wrote it.\n\n<learning category="pitfall" tags="parser, dates">Lesson ${n} tells of part ${n} of the parser.</learning>\n\n<task-done>{id}</task-done>`;
  const write = { write: { "src/{id}.txt": "x" } };
  // The eleventh writes the store too, so that ralph looks at every row for what an agent may not change.
  const typed = [
    [process.execPath, ralphBin, "memory", "store", "The release notes are in the docs folder."],
  ];
  await made.useWorker(
    {
      ...Object.fromEntries([1, 2, 3, 4].map((n) => [`t-${n}`, [{ ...write, say: learnt(`${n}`) }]])),
      "t-11": [{ ...write, sleepMs: 1500, run: typed }],
      "*": [write],
    },
    'verify: ["true"]\nmemory: { summarizeAbove: 3 }\n',
  );
  await made.addTasks(Array.from({ length: 11 }, (_, n) => `Part ${n + 1}`));
  const { code, events } = await made.run();
  expect(code).toBe(0);
  expect(finished(events).map(({ warnings }) => warnings)).toEqual(Array(11).fill([]));
  const lines = jsonLines(made.read(".ralph/events.jsonl"));
  const merged = lines.findIndex(({ type }) => type === "learning.merged");
  const at = (type: string): number =>
    lines.findIndex((event) => event.type === type && event["iteration"] === 11);
  expect(merged).toBeGreaterThan(at("iteration.started"));
  expect(merged).toBeLessThan(at("iteration.finished"));
  const listed = (await made.json("memory", "list")) as { lesson: string }[];
  expect(listed.map(({ lesson: one }) => one)).toContain("The release notes are in the docs folder.");
});
