import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { WorkerScript } from "../fakes/worker-script.ts";
import { copyOf, duringIteration, type Practice, practice, waitForPerson } from "./practice.ts";

let project: Practice | undefined;
afterEach(() => project?.remove());

const name = "ios26-learned";
const files = [`.agents/skills/${name}/SKILL.md`, `.claude/skills/${name}/SKILL.md`] as const;

const tasks = `version: 1
tasks:
  - id: UX13
    title: "Use Liquid Glass for the status card"
    priority: high
    tags: [ios26, liquid-glass]
    files: [ClaudeWatch/Views/StatusCard.swift]
  - id: LG1
    title: "More Liquid Glass: morph the toolbar"
    tags: [ios26, liquid-glass, swiftui]
    files: [ClaudeWatch/Views/Toolbar.swift]
    depends_on: [UX13]
  - id: LG2
    title: "Glass transitions between the pages"
    tags: [ios26, swiftui]
    files: [ClaudeWatch/Views/Pages.swift]
    depends_on: [LG1]
  - id: LG3
    title: "Round the corners of the badge"
    tags: [ios26]
    depends_on: [LG2]
  - id: VW1
    title: "Show the version number"
    files: [ClaudeWatch/Views/Settings.swift]
    depends_on: [LG2]
  - id: DB1
    title: "Read dates of the log in UTC"
    tags: [storage]
    files: [ClaudeWatch/Storage/Log.swift]
    depends_on: [LG2]
`;

const learning = (text: string, category = "success_pattern"): string =>
  `<learning category="${category}" tags="ios26">${text}</learning>`;
const says: Readonly<Record<string, string>> = {
  UX13: learning("Use .glassEffect() not .background(.thinMaterial)", "other"),
  LG1: `${learning("GlassEffectContainer required for morphing")}
${learning("Used .background(.ultraThinMaterial), which is deprecated in iOS 26. Use .glassEffect() instead.", "pitfall")}`,
  LG2: learning("@Namespace + glassEffectID for smooth transitions"),
};

function scriptOf(): WorkerScript {
  const steps = (id: string, text: string) => [
    { write: { [`ClaudeWatch/Views/${id}.swift`]: "fine" }, say: `${text}\n<task-done>${id}</task-done>` },
  ];
  const told = Object.entries(says).map(([id, text]) => [id, steps(id, text)] as const);
  return { prompts: "../prompts", ...Object.fromEntries(told), "*": [{ write: { "src/{id}.txt": "x" } }] };
}

async function story(config = ""): Promise<Practice> {
  project = await newStory(config);
  return project;
}

/** The project after the three tasks that teach the skill. */
let taught: Practice;
beforeAll(async () => {
  taught = await newStory();
  expect((await taught.run("--max-iterations", "3")).code).toBe(3);
});
afterAll(() => taught.remove());

async function afterThree(): Promise<Practice> {
  project = copyOf(taught);
  await project.approveConfig();
  return project;
}

async function newStory(config = ""): Promise<Practice> {
  const made = practice({ "tasks.yaml": tasks, "README.md": "# Watch\n" });
  await made.useWorker(scriptOf(), `verify: ["true"]\n${config}`);
  const { code, stderr } = await made.ralph("task", "import", "tasks.yaml");
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return made;
}

/** The prompts of all sessions by task. */
function prompts(made: Practice): Readonly<Record<string, string>> {
  const folder = join(made.dir, "../prompts");
  const names = readdirSync(folder);
  return Object.fromEntries(
    names.map((file) => [file.split("-")[0], readFileSync(join(folder, file), "utf8")]),
  );
}

test("SKILL-3 SKILL-4 SKILL-6: three tasks teach a skill; accepted in one commit, the tasks that it fits get it", async () => {
  const made = await afterThree();
  const { proposals } = (await made.json("skills", "list")) as { proposals: { id: string }[] };
  expect(proposals).toMatchObject([{ name, kind: "create", category: "ios26" }]);
  const proposed = await made.answer("skills", "diff", name);
  expect(proposed.stdout).toContain("+## Learned Patterns\n");
  expect(made.git("status", "--porcelain")).toBe("");

  const commits = made.commits().length;
  const accepted = await made.answer("skills", "accept", proposals[0]?.id ?? "");
  expect([accepted.code, accepted.stdout]).toEqual([
    0,
    expect.stringMatching(/^accepted ios26-learned \(commit [0-9a-f]{9}\)\n$/),
  ]);
  expect(made.commits()).toHaveLength(commits + 1);
  expect(made.git("show", "--format=", "--name-only").split("\n")).toEqual([...files]);
  const skill = made.read(files[0]);
  expect(made.read(files[1])).toBe(skill);
  expect(skill).toMatch(
    /^---\nname: ios26-learned\ndescription: ".*ios26.*"\nmetadata:\n {2}generated-by: ralph\n/,
  );
  expect(skill).toMatch(
    /## When to Use\n- Tasks with tags: ios26, liquid-glass, swiftui\n- Files in: ClaudeWatch\/Views\/\n/,
  );
  for (const pattern of [
    "Use .glassEffect() not",
    "GlassEffectContainer required",
    "@Namespace + glassEffectID",
  ])
    expect(skill.split("## Anti-Patterns")[0]).toContain(pattern);
  expect(skill).toMatch(/## Anti-Patterns\n- .*\.ultraThinMaterial\).* Instead: Use \.glassEffect\(\)/);
  expect(skill).toMatch(
    /## Source\nAuto-generated by ralph on \d{4}-\d\d-\d\d from 3 tasks: LG1, LG2, UX13\n/,
  );

  expect((await made.run()).code).toBe(0);
  const { LG3 = "", VW1 = "", DB1 = "", LG2 = "" } = prompts(made);
  for (const prompt of [LG3, VW1]) expect(prompt).toContain("GlassEffectContainer required for morphing");
  for (const prompt of [LG3, VW1]) expect(prompt).toContain(name);
  expect(DB1).not.toContain(name);
  expect(LG2).not.toContain(name);
  expect(made.git("log", "-3", "--format=", "--name-only")).not.toContain("skills/");
  const { stdout } = await made.answer("--skill-stats");
  expect(JSON.parse(stdout)).toMatchObject({
    selfImprovement: { learningsCaptured: expect.any(Number), skillsGenerated: 1, skillsUpdated: 0 },
  });
});

test("SKILL-6: seed 2's commands work at the top level, before any command, and are in the help", async () => {
  const made = await afterThree();
  await made.answer("skills", "accept", "--all");
  const help = (await made.answer("help", "all")).stdout.split("Compatibility:")[1] ?? "";
  for (const flag of ["--aggregate", "--show-learnings", "--generate-skills", "--skill-stats"])
    expect(help).toContain(`  ${flag} `);
  expect((await made.answer("--show-learnings")).stdout).toMatch(/^LG2 attempt 1 /);
  expect(JSON.parse((await made.answer("--aggregate", "--json")).stdout)).toMatchObject({ success: true });
  expect(JSON.parse((await made.answer("--json", "--generate-skills")).stdout)).toMatchObject({
    proposals: [],
  });
  const stats = (await made.answer("--skill-stats")).stdout;
  expect(Object.keys(JSON.parse(stats))).toEqual(["selfImprovement"]);
  expect(Object.keys(JSON.parse(stats).selfImprovement)).toEqual([
    ...["learningsCaptured", "learningsAggregated", "skillsGenerated", "skillsUpdated"],
    ...["avgTokensSaved", "patternCategories"],
  ]);
  expect((await made.ralph("run", "--no-skills", "LG3")).code).toBe(0);
  expect(prompts(made)["LG3"]).not.toContain(name);
});

test("SKILL-3: with skills.autoAccept a skill is written between two tasks, in a commit of its own", async () => {
  const made = await story("skills: { autoAccept: true }\n");
  expect((await made.run()).code).toBe(0);
  const log = made.git("log", "--format=%s").split("\n");
  expect(log).toContain(`Add skill ${name}`);
  const hash = made.git("log", "--format=%H", `--grep=Ralph-Skill: ${name}`, "-1");
  expect(made.git("show", "--format=", "--name-only", hash).split("\n")).toEqual([...files]);
  const others = made.git("log", "--format=", "--name-only", `${hash}^`);
  expect(others).not.toContain("skills/");
  expect(prompts(made)["LG3"]).toContain(name);
  expect(made.git("status", "--porcelain")).toBe("");
  expect(await made.json("skills", "list")).toMatchObject({
    proposals: [],
    skills: [{ name, status: "active" }],
  });
});

test("SKILL-3: while a run is active, skills are accepted by nobody, and the tree stays clean", async () => {
  const made = await afterThree();
  const ralph = join(import.meta.dirname, "../../bin/ralph.js");
  const inside = `${process.execPath} ${ralph} skills accept ${name} > ../inside.txt 2>&1; true`;
  made.setScript({
    "*": [
      {
        run: [["sh", "-c", inside], waitForPerson],
        write: { "src/{id}.txt": "x" },
      },
    ],
  });
  const run = made.run("--max-iterations", "1");
  await duringIteration(made, async () => {
    const { stderr } = await made.answer("skills", "accept", name);
    expect(stderr).toMatch(/^error: another run is active.*\nhint: /);
  });
  expect((await run).code).toBe(3);
  expect(made.read("../inside.txt")).toMatch(/^error: `ralph skills accept` is not available to the agent/);
  expect(existsSync(join(made.dir, files[0]))).toBe(false);
  expect((await made.answer("skills", "accept", name)).code).toBe(0);
});
