import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { listSkillUses } from "../../src/memory/skills/store/skill-use-store.ts";
import { openStore } from "../../src/store/open-store.ts";
import { skillText } from "../skill-files.ts";
import { type Practice, practice } from "./practice.ts";

let project: Practice;
afterEach(() => project.remove());

const glass = skillText("ios26-learned", {
  description: "Liquid Glass patterns for tasks with the tag ios26.",
  tags: "ios26, liquid-glass",
  body: "- Use .glassEffect(), not deprecated materials.\n",
});

const tasks = [
  { id: "tagged", title: "Morph the toolbar", tags: ["ios26"] },
  { id: "filed", title: "Round the corners", files: ["App/Views/Home.swift"] },
  { id: "other", title: "Parse dates in UTC", tags: ["dates"], files: ["src/dates.ts"] },
];

async function uses(): ReturnType<typeof listSkillUses> {
  const db = await openStore({ path: join(project.dir, ".ralph/progress.db"), readOnly: true });
  return listSkillUses(db).finally(() => db.close());
}

async function projectWithSkill(): Promise<void> {
  project = practice({
    ".agents/skills/ios26-learned/SKILL.md": glass,
    ".claude/skills/ios26-learned/SKILL.md": glass,
    ".claude/skills/broken/SKILL.md": "no frontmatter",
  });
  const script = { prompts: "../prompts", "*": [{ write: { "{id}.txt": "{id}" } }] };
  await project.useWorker(script, `verify: ["true"]\n`);
  await project.addTasks(tasks);
}

test("SKILL-4: doctor names the files that cannot be read as skills", async () => {
  await projectWithSkill();
  const doctor = (await project.json("doctor")) as readonly { readonly check: string }[];
  expect(doctor.filter(({ check }) => check === "skills")).toEqual([
    {
      check: "skills",
      status: "warn",
      detail: ".claude/skills/broken/SKILL.md: it has no frontmatter",
      hint: "correct or remove these files: prompts do not contain them",
    },
  ]);
});

test("SKILL-4: --no-skills and --no-memory show none, and the dry run says so; an agent that lists skills gets the name", async () => {
  await projectWithSkill();
  const dry = (...flags: string[]) => project.ralph("run", "tagged", "--dry-run", ...flags);
  expect((await dry()).stdout).toContain("`ios26-learned`");
  for (const [flag, note] of [
    ["--no-skills", "skills: off (--no-skills); the prompt has none"],
    ["--no-memory", "memory: off (--no-memory); the prompt has no memory and no skills"],
  ] as const) {
    const { stdout, stderr } = await dry(flag);
    expect(stdout).not.toMatch(/ios26-learned|### Skills/);
    expect(stderr).toContain(note);
  }
  project.write(
    ".ralph/config.yaml",
    project.read(".ralph/config.yaml").replace("tiers:", "format: pi-json, tiers:"),
  );
  const listed = (await dry()).stdout;
  expect(listed).toContain(
    "Skill `ios26-learned` fits this task: load it (`.agents/skills/ios26-learned/SKILL.md`).",
  );
  expect(listed).not.toContain("glassEffect");
});

test("SKILL-5: a run records what the agent opened, and how the attempt ended", async () => {
  await projectWithSkill();
  const read = {
    type: "tool_execution_start",
    toolName: "read",
    args: { path: ".agents/skills/ios26-learned/SKILL.md" },
  };
  project.setScript({
    format: "pi-json",
    "*": [{ events: [read], write: { "{id}.txt": "{id}" } }],
  });
  project.write(
    ".ralph/config.yaml",
    project.read(".ralph/config.yaml").replace("tiers:", "format: pi-json, tiers:"),
  );
  await project.approveConfig();
  const { code } = await project.run("tagged", "--allow-dirty");
  expect(code).toBe(0);
  expect(await uses()).toMatchObject([{ name: "ios26-learned", verified: true, loaded: true }]);
});
