import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { parseYaml } from "../../src/base/yaml.ts";
import { copyOf, type Practice, practice } from "./practice.ts";

let project: Practice | undefined;
afterEach(() => project?.remove());

const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
const failing = `The materials are gone.

<failure-report>
what_tried: .background(.ultraThinMaterial) with the key ${secret}
why_failed: the material is deprecated
error_category: build_error
</failure-report>
<retry-suggestion>Use .glassEffect() instead.</retry-suggestion>
<missing-context>Liquid Glass button styles</missing-context>
<wished-skill>ios26-liquid-glass</wished-skill>
<note type="stuck">Custom materials cannot be combined.</note>
<task-failed>{id}</task-failed>`;
const passing = `Done.

<learning category="success_pattern" tags="ios26">Use .glassEffect() instead of custom materials.</learning>
<learning category="pitfall" tags="ios26">Tried .background(.thinMaterial), which is deprecated. Use .glassEffect() there.</learning>
<learning category="other" tags="ios26">Liquid Glass requires GlassEffectContainer for morphing.</learning>
<task-done>{id}</task-done>`;
const script = {
  "*": [
    { write: { "Views/{id}.swift": "bad" }, say: failing },
    { write: { "Views/{id}.swift": "fine" }, say: passing },
  ],
};
const nameForm = /^learning-UX13-\d{8}-\d{6}(-2)?\.yaml$/;

async function newProject(config = ""): Promise<Practice> {
  const made = practice();
  await made.useWorker(script, `verify: ["grep -rq fine Views"]\n${config}`);
  await made.addTasks([{ id: "UX13", title: "Liquid Glass", tags: ["ios26", "swiftui"] }]);
  return made;
}

async function projectWith(config = ""): Promise<Practice> {
  project = await newProject(config);
  return project;
}

/** A project after a failed and a successful attempt, and what its run printed. */
let finished: { readonly project: Practice; readonly stdout: string };
beforeAll(async () => {
  const made = await newProject();
  const { code, stdout } = await made.ralph("run");
  expect(code).toBe(0);
  finished = { project: made, stdout };
});
afterAll(() => finished.project.remove());

async function finishedProject(): Promise<Practice> {
  project = copyOf(finished.project);
  await project.approveConfig();
  return project;
}

function recordFiles(made: Practice, dir = ".ralph/learnings"): Readonly<Record<string, string>> {
  const folder = join(made.dir, dir);
  const all = existsSync(folder) ? readdirSync(folder).sort() : [];
  const names = all.filter((name) => name !== "aggregated");
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

test("LEARN-3: each attempt leaves a record with seed 2's fields, without secrets, in the database and as a file", async () => {
  const made = await finishedProject();
  const { stdout } = finished;
  const files = recordFiles(made);
  expect(Object.keys(files)).toEqual([expect.stringMatching(nameForm), expect.stringMatching(nameForm)]);
  expect(JSON.stringify(files)).not.toContain(secret);
  const read = Object.values(files)
    .map((text) => parseYaml(text, { file: "record" }).value as Record<string, unknown>)
    .toSorted((a, b) => String(a["timestamp"]).localeCompare(String(b["timestamp"])));
  expect(read).toMatchObject([
    {
      ...{ task_id: "UX13", outcome: "failure", tokens_used: null, successes: [], discoveries: [] },
      duration_seconds: expect.stringMatching(/^\d+$/),
      failures: [
        {
          pattern: expect.stringMatching(/^\.background\(\.ultraThinMaterial\) with the key /),
          category: "ios26",
          lesson: "the material is deprecated. Use .glassEffect() instead.",
        },
        { pattern: "Custom materials cannot be combined.", category: "ios26" },
      ],
      missing_context: ["Liquid Glass button styles"],
      wished_for_skills: ["ios26-liquid-glass"],
    },
    {
      ...{ task_id: "UX13", outcome: "success", missing_context: [], wished_for_skills: [] },
      successes: [
        { pattern: "Use .glassEffect() instead of custom materials.", category: "ios26", reusable: "true" },
      ],
      failures: [
        {
          pattern: "Tried .background(.thinMaterial), which is deprecated.",
          lesson: "Use .glassEffect() there.",
          category: "ios26",
        },
      ],
      discoveries: [{ description: expect.stringContaining("GlassEffectContainer"), source: "agent" }],
    },
  ]);
  expect(stdout).toMatch(/missing +Liquid Glass button styles/);
  expect(stdout).toMatch(/wished for +ios26-liquid-glass/);
  const shown = await made.answer("learnings", "show", "UX13");
  expect(shown.stdout).toMatch(/^UX13 attempt 2 .* success \(verified\)/);
  expect(shown.stdout).toMatch(/wished for ios26-liquid-glass/);
  // SKILL-6: the flag of seed 2.
  const flag = await made.answer("--show-learnings", "--json");
  expect(JSON.parse(flag.stdout)).toMatchObject([
    { task_id: "UX13", outcome: "success", verified: true },
    { outcome: "failure", wished_for_skills: ["ios26-liquid-glass"] },
  ]);
});

test("LEARN-3: a learnings.dir in the work tree is neither a task's change nor a dirty tree", async () => {
  const made = await projectWith("learnings: { dir: .claude/ralph/learnings }\n");
  const dir = ".claude/ralph/learnings";
  expect((await made.run()).code).toBe(0);
  expect(Object.keys(recordFiles(made, dir))).toHaveLength(2);
  expect(recordFiles(made)).toEqual({});
  expect(made.git("show", "--name-only", "--format=", "HEAD")).toBe("Views/UX13.swift");
  await made.addTasks([{ id: "LG1", title: "More Liquid Glass" }]);
  const { code, events } = await made.run();
  expect(code).toBe(0);
  expect(events.find(({ type }) => type === "run.started")).toMatchObject({ warnings: [] });
  expect(made.git("log", "--format=", "--name-only", "--", ".claude")).toBe("");
  expect(made.git("status", "--porcelain", "--untracked-files=all")).toMatch(
    /^(\?\? \.claude\/ralph\/learnings\/learning-\S+\n?){4}$/,
  );
});

test("LEARN-3: hostile task ids cannot lead a record's file out of its folder, and equal names get a number", async () => {
  const made = practice();
  project = made;
  const ids = ["a..b", "NUL", "ux13", "UX13", "y".repeat(100)];
  await made.useWorker(
    { "*": [{ write: { "Views/{id}": "fine" }, say: "<promise>COMPLETE</promise>" }] },
    'verify: ["true"]\n',
  );
  await made.addTasks(ids.map((id) => ({ id, title: id })));
  const outside = (): readonly string[] =>
    readdirSync(join(made.dir, "..")).concat(readdirSync(made.dir)).sort();
  const before = outside();
  const hostile = ["../../evil", "..", "/etc/passwd", "a\\..\\b", ".git/config", "-rf"];
  for (const [at, id] of hostile.entries())
    made.write(`../home/in/learning-${at}.yaml`, foreign.replace('"UX13"', JSON.stringify(id)));
  expect((await made.answer("learnings", "import", join(made.home, "in"))).code).toBe(0);
  await made.run();
  expect(outside().filter((name) => name !== "Views" && name !== ".ralph-context.json")).toEqual(before);
  const names = Object.keys(recordFiles(made));
  expect(names).toHaveLength(ids.length);
  for (const name of names) expect(name).toMatch(/^learning-[A-Za-z0-9-]+-\d{8}-\d{6}(-\d+)?\.yaml$/);
  expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
});

const foreign = `task_id: "UX13"
timestamp: "2026-01-17T09:00:00Z"
outcome: success
tokens_used: 45000
duration_seconds: 180
successes:
  - pattern: "Checked SystemLanguageModel.default.availability first"
    category: "foundation-models"
    reusable: true
failures:
  - pattern: "Tried .background(.ultraThinMaterial) - deprecated"
    category: "ios26"
    lesson: "Use .glassEffect() for iOS 26+ with ${secret}"
discoveries:
  - description: "Liquid Glass requires GlassEffectContainer for morphing"
    source: "Apple hidden docs"
    category: "ios26"
missing_context:
  - "Foundation Models 4K token limit"
wished_for_skills: [ios26-liquid-glass]
`;

test("LEARN-3: record files of others are imported into quarantine, once", async () => {
  const made = await projectWith();
  mkdirSync(join(made.home, "theirs"));
  const file = join(made.home, "theirs/learning-UX13-20260117-090000.yaml");
  writeFileSync(file, foreign);
  writeFileSync(join(made.home, "theirs/learning-broken.yaml"), "task_id: [");
  const first = await made.answer("learnings", "import", join(made.home, "theirs"), "--json");
  expect(JSON.parse(first.stdout)).toMatchObject({
    ...{ success: true, imported: 1, unchanged: 0, learnings: 3, quarantined: 3 },
    problems: [{ file: expect.stringContaining("learning-broken.yaml") }],
  });
  const quarantined = (await made.json("memory", "list", "--status", "quarantined")) as { lesson: string }[];
  expect(quarantined.map(({ lesson }) => lesson).sort()).toEqual([
    "Checked SystemLanguageModel.default.availability first",
    "Liquid Glass requires GlassEffectContainer for morphing",
    expect.stringMatching(/^Tried .* deprecated: Use \.glassEffect\(\) for iOS 26\+ with /),
  ]);
  expect(JSON.stringify(quarantined)).not.toContain(secret);
  const again = await made.answer("learnings", "import", file, "--json");
  expect(JSON.parse(again.stdout)).toMatchObject({ imported: 0, unchanged: 1, learnings: 0 });
  expect(await made.json("learnings", "show")).toMatchObject([
    {
      task_id: "UX13",
      imported: true,
      verified: false,
      tokens_used: 45_000,
      missing_context: ["Foundation Models 4K token limit"],
    },
  ]);
  // Another's file is not ralph's to write.
  await made.run();
  expect(Object.keys(recordFiles(made))).not.toContain("learning-UX13-20260117-090000.yaml");
});

test("LEARN-14: a lesson about a file that a person renamed names the new path in the next prompt", async () => {
  project = practice();
  const made = project;
  await made.useWorker({ "*": [{ write: { "{id}.js": "1" }, say: "<task-done>{id}</task-done>" }] });
  made.write("src/total.js", "export const total = (rows) => rows.length;\n".repeat(5));
  made.git("add", ".");
  made.git("commit", "-qm", "total");
  await made.ralph("memory", "store", "src/total.js rounds half to even, so invoices add up.");
  made.git("mv", "src/total.js", "src/sum.js");
  made.git("commit", "-qm", "sum");
  expect((await made.ralph("memory", "list")).stdout).toContain("stale");
  await made.addTasks([{ id: "t-1", title: "Round half to even where invoices add up" }]);
  expect((await made.ralph("run")).code).toBe(0);
  const { stdout } = await made.ralph("prompt", "show", "t-1");
  expect(stdout).toContain("src/sum.js rounds half to even");
  expect(stdout).not.toContain("src/total.js");
  expect((await made.ralph("memory", "list")).stdout).not.toContain("stale");
});
