import { afterAll, afterEach, expect, test } from "vitest";
import { copyOf, finished, type Practice, practice, type RunEvent, ralphBin } from "./practice.ts";
import { query } from "./query.ts";

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

test("PROMPT-2: what found no room is told in the event log, with why", async () => {
  const made = await learningProject("memory: { budgetChars: 400 }\n");
  const { events } = await made.run();
  const starts = events.filter(({ type }) => type === "iteration.started");
  const dropped = starts.flatMap((event) => event["dropped"] as readonly string[]);
  expect(dropped).toContainEqual(
    expect.stringMatching(/^learnings l-[0-9a-f]+: no room: \d+ characters were left/),
  );
  expect(made.read(".ralph/events.jsonl")).toContain(JSON.stringify(dropped[0]).slice(1, -1));
});

test("HIVE-5: store, find, get, remove, validate and stats by the flags and shapes of the swarm tool", async () => {
  project = practice();
  const stored = (await project.json(
    "memory",
    "store",
    lesson,
    "--tags",
    "greeting,release",
    "--collection",
    "default",
  )) as { success: boolean; id: string };
  expect(stored).toMatchObject({ success: true, id: expect.stringMatching(/^l-[0-9a-f]{6}$/) });
  const found = await project.json(
    "memory",
    "find",
    "greeting dot",
    "--limit",
    "3",
    "--collection",
    "default",
  );
  expect(found).toMatchObject({
    success: true,
    results: [
      {
        memory: { id: stored.id, content: lesson, metadata: { tags: ["greeting", "release"] } },
        matchType: "fts",
      },
    ],
  });
  expect(await project.json("memory", "get", stored.id)).toMatchObject({
    success: true,
    memory: { lastUsedAt: null, provenance: { source: "person" } },
  });
  expect(await project.json("memory", "validate", stored.id)).toMatchObject({ success: true, id: stored.id });
  expect(await project.json("memory", "remove", stored.id)).toMatchObject({ success: true, id: stored.id });
  expect(await project.json("memory", "find", "greeting dot")).toEqual({ success: true, results: [] });
  expect(await project.json("memory", "stats")).toMatchObject({
    success: true,
    memories: 1,
    byStatus: { pruned: 1 },
  });
  expect(await project.json("memory", "restore", stored.id)).toMatchObject({ success: true });
  const typo = await project.ralph("memory", "get", `${stored.id.slice(0, -1)}x`);
  expect([typo.code, typo.stderr]).toEqual([2, expect.stringContaining(`did you mean ${stored.id}`)]);
  expect((await project.ralph("memory", "lst")).stderr).toContain("did you mean: ralph memory list");
});

test("LEARN-1, TRUST-4: what is imported waits for approval; an agent can approve, change or purge nothing", async () => {
  project = practice();
  const { id } = (await project.json("memory", "store", lesson)) as { id: string };
  await project.ralph("memory", "export", "memory.jsonl");
  expect((await project.ralph("memory", "purge", id)).code).toBe(2);
  expect((await project.ralph("memory", "purge", id, "--yes")).stdout).toContain("purged 1 learning");
  expect(await project.json("memory", "import", "memory.jsonl")).toMatchObject({
    imported: 1,
    quarantined: 1,
  });
  expect(await project.json("memory", "find", "greeting dot")).toEqual({ success: true, results: [] });
  expect(await project.json("memory", "approve", "--all")).toEqual({ success: true, ids: [id] });
  expect(await project.json("memory", "find", "greeting dot")).toMatchObject({
    results: [{ memory: { id } }],
  });
  const agent = practiceAsAgent(project);
  for (const words of [
    ["approve", "--all"],
    ["purge", id, "--yes"],
    ["edit", id, "--text", "x"],
    ["remove", id],
    ["import", "memory.jsonl"],
  ]) {
    const { code, stderr } = await agent("memory", ...words);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("is not available to the agent working on t-1"),
    ]);
  }
});

function practiceAsAgent(
  from: Practice,
): (...words: string[]) => Promise<{ code: number | null; stderr: string }> {
  return (...words) => query(words, { dir: from.dir, env: { ...from.env, RALPH_TASK_ID: "t-1" } });
}

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

test("LEARN-1: what was too long to be kept whole is said", async () => {
  project = practice();
  const { stdout, stderr } = await project.ralph("memory", "store", "word ".repeat(1000));
  expect(stdout).toContain("stored: l-");
  expect(stderr).toMatch(/warning: .* was truncated/);
  expect((await project.ralph("memory", "store", lesson)).stderr).not.toContain("warning");
});

test("TRUST-7: nothing of an import reaches the terminal as a control, whatever part of it holds one", async () => {
  project = practice();
  const evil = "x\u001b[31m\u009b2J\n";
  const learning = {
    ...{ id: "l-dddddd", category: evil, content: lesson, created_at: "2026-01-01T00:00:00.000Z" },
    ...{ scope: evil, origin: evil, agent: evil, model: evil, run_id: evil, task_id: evil, topic: evil },
    ...{ last_used_at: evil, validated_at: evil, pruned_at: evil, status: "pruned" },
    ...{ derived_from: JSON.stringify([evil]), fixes: JSON.stringify([evil]) },
  };
  const change = {
    number: 1,
    at: evil,
    change: evil,
    changed_by: evil,
    detail: JSON.stringify({ [evil]: evil }),
  };
  const good = {
    ...change,
    number: 2,
    at: "2026-01-01T00:00:00.000Z",
    change: "stored",
    changed_by: "person",
  };
  project.write("odd.jsonl", JSON.stringify({ learning, history: [change, good] }));
  await project.ralph("memory", "import", "odd.jsonl", "--approve");
  for (const words of [
    ["why", "l-dddddd"],
    ["get", "l-dddddd"],
    ["list", "--status", "all"],
  ]) {
    const { code, stdout } = await project.ralph("memory", ...words);
    expect([code, stdout.includes("\u001b"), stdout.includes("\u009b")]).toEqual([0, false, false]);
  }
  const life = (await project.json("memory", "why", "l-dddddd")) as {
    memory: Readonly<Record<string, unknown>>;
    history: readonly { change: string }[];
  };
  expect(life.history.map((one) => one.change)).toEqual(["stored"]);
  expect(life.memory).toMatchObject({ collection: "project", derivedFrom: [], lastUsedAt: null });
  await project.ralph("memory", "restore", "l-dddddd");
  expect((await project.ralph("memory", "find", "greeting dot")).stdout).toContain("l-dddddd");
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
  const log = made.read(".ralph/events.jsonl").trim().split("\n");
  const lines = log.map((line) => JSON.parse(line) as RunEvent & { readonly rows?: readonly object[] });
  const merged = lines.findIndex(({ rows }) => JSON.stringify(rows ?? []).includes('"change":"merged"'));
  const at = (type: string): number =>
    lines.findIndex((event) => event.type === type && event["iteration"] === 11);
  expect(merged).toBeGreaterThan(at("iteration.started"));
  expect(merged).toBeLessThan(at("iteration.finished"));
  const listed = (await made.json("memory", "list")) as { lesson: string }[];
  expect(listed.map(({ lesson: one }) => one)).toContain("The release notes are in the docs folder.");
});

test("LEARN-6 LEARN-11: with --holdout, an iteration where nothing fits gets the best learning, and lift reports it apart", async () => {
  project = practice();
  await project.useWorker(
    { prompts: "../prompts", "*": [{ write: { "src/{id}.txt": "x" } }] },
    'verify: ["true"]\n',
  );
  await project.ralph("memory", "store", "ISO dates in the importer need UTC, or leap days fail.");
  await project.addTasks(["Translate the onboarding mails to Portuguese"]);
  await project.run("--holdout", "1");
  expect(project.read("../prompts/t-1-1.txt")).toContain("ISO dates in the importer");
  const lift = (await project.json("memory", "lift")) as Record<"with" | "silence", { attempts: number }> & {
    silence: { with: { attempts: number } };
  };
  expect([lift.with.attempts, lift.silence.with.attempts]).toEqual([0, 1]);
  expect((await project.ralph("memory", "lift")).stdout).toContain("where nothing fits well (silence):");
});
