import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folderWith, skillSettings, skillText } from "../../../../test/skill-files.ts";
import { safe } from "../../../base/safe-text.ts";
import { mergeSkillFile } from "./merge-skill-file.ts";
import { readSkillFiles } from "./read-skill-files.ts";

test("SKILL-4: a skill of two folders is read once, with its labels, its text and both paths", async () => {
  const ours = `---
name: ios26-learned
description: "Liquid Glass: use for ios26."
metadata:
  tags: "ios26, Liquid-Glass"
  files: "App/Views/**"
---

# iOS 26 (mine)

<!-- ralph:begin sp-1 -->
## Learned Patterns
- Use .glassEffect()
<!-- ralph:end -->
`;
  const root = folderWith({
    ".agents/skills/ios26-learned/SKILL.md": ours,
    ".claude/skills/ios26-learned/SKILL.md": ours,
    ".claude/skills/deploy/SKILL.md":
      "---\nname: deploy\ndescription: Deploys\ntags: [Release, ops]\n---\nRun it.\n",
    ".claude/skills/deploy/notes.md": "no skill",
    ".claude/skills/empty/readme.md": "no skill",
  });
  const { skills, problems } = await readSkillFiles(root, skillSettings);
  expect(problems).toEqual([]);
  expect(skills).toEqual([
    {
      name: "deploy",
      description: "Deploys",
      tags: ["release", "ops"],
      files: [],
      body: "Run it.",
      paths: [".claude/skills/deploy/SKILL.md"],
    },
    {
      name: "ios26-learned",
      description: "Liquid Glass: use for ios26.",
      tags: ["ios26", "liquid-glass"],
      files: ["App/Views/**"],
      body: "# iOS 26 (mine)\n\n## Learned Patterns\n- Use .glassEffect()",
      paths: [".agents/skills/ios26-learned/SKILL.md", ".claude/skills/ios26-learned/SKILL.md"],
    },
  ]);
});

test("SKILL-4: a skill that changed is read again", async () => {
  const file = ".agents/skills/good/SKILL.md";
  const root = folderWith({ [file]: skillText("good", { body: "one" }) });
  const bodies = async () => (await readSkillFiles(root, skillSettings)).skills.map(({ body }) => `${body}`);
  expect([await bodies(), await bodies()]).toEqual([["one"], ["one"]]);
  writeFileSync(join(root, file), skillText("good", { body: "two" }));
  expect(await bodies()).toEqual(["two"]);
});

test("SKILL-4: commands need no frontmatter", async () => {
  const root = folderWith({
    ".claude/commands/swiftui.md": "# Views of the app\n\nUse glass.\n",
    ".claude/commands/notes.txt": "no command",
    ".agents/skills/other/SKILL.md": skillText("other"),
  });
  const { skills } = await readSkillFiles(root, { ...skillSettings, layout: "commands" });
  expect(skills).toMatchObject([{ name: "swiftui", description: "Views of the app", tags: [] }]);
});

test("SKILL-4: no link is followed, and malformed, huge and unreadable files are named with the reason", async () => {
  const outside = folderWith({ "secret/SKILL.md": skillText("secret"), "SKILL.md": skillText("linked") });
  const root = folderWith({
    ".agents/skills/good/SKILL.md": skillText("good"),
    ".agents/skills/bare/SKILL.md": "no frontmatter",
    ".agents/skills/broken/SKILL.md": "---\nname: [broken\n---\n",
    ".agents/skills/list/SKILL.md": "---\n- name\n---\n",
    ".agents/skills/renamed/SKILL.md": skillText("another"),
    ".agents/skills/silent/SKILL.md": "---\nname: silent\n---\ntext",
    ".agents/skills/Upper_Case/SKILL.md": skillText("Upper_Case"),
    ".agents/skills/huge/SKILL.md": skillText("huge", { body: "x".repeat(70_000) }),
    ".claude/x": "",
  });
  symlinkSync(join(outside, "secret"), join(root, ".agents/skills/secret"));
  mkdirSync(join(root, ".agents/skills/linked"));
  symlinkSync(join(outside, "SKILL.md"), join(root, ".agents/skills/linked/SKILL.md"));
  mkdirSync(join(root, ".agents/skills/folder/SKILL.md"), { recursive: true });
  symlinkSync(outside, join(root, ".claude/skills"));
  const { skills, problems } = await readSkillFiles(root, skillSettings);
  expect(skills.map(({ name }) => name)).toEqual(["good"]);
  const reasons = problems.map((line) => line.replace(/^.*?(?:skills\/)?([\w-]+)(?:\/SKILL\.md)?: /, "$1: "));
  expect(reasons).toEqual([
    "secret: it is a symbolic link, which ralph does not follow",
    "Upper_Case: its name must consist of at most 64 lower-case letters, digits and single dashes",
    "bare: it has no frontmatter",
    expect.stringMatching(/^broken: its frontmatter is not valid: /),
    "folder: it is not a regular file",
    "huge: it is larger than 64 KiB",
    "linked: it is a symbolic link, which ralph does not follow",
    "list: its frontmatter is not a mapping",
    "renamed: the `name` in its frontmatter differs from its folder",
    "silent: it has no description",
    "skills: it is, or is below, a symbolic link, which ralph does not follow",
  ]);
});

test("SKILL-4: a folder that is a link to the other one holds the same skills, whichever of the two is real", async () => {
  for (const [real, link] of [
    [".agents/skills", ".claude/skills"],
    [".claude/skills", ".agents/skills"],
  ] as const) {
    const root = folderWith({ [`${real}/good/SKILL.md`]: skillText("good"), [`${link}/../x`]: "" });
    symlinkSync(join("..", real), join(root, link));
    const { skills, problems } = await readSkillFiles(root, skillSettings);
    expect(problems).toEqual([]);
    expect(skills.map(({ paths }) => paths)).toEqual([[`${real}/good/SKILL.md`, `${link}/good/SKILL.md`]]);
  }
});

test("SKILL-4: what ralph writes is read back, without its markers", async () => {
  const skill = {
    ...{
      name: safe`ios26-learned`,
      category: safe`ios26`,
      description: safe`Patterns: "glass". Use for ios26.`,
    },
    ...{ body: safe`# ios26 Patterns`, tags: [safe`ios26`, safe`swiftui`], files: [safe`Views/**`] },
    ...{ source: { date: "2026-03-01", learningIds: [], taskIds: [], runIds: [] }, evidenceHash: "h1" },
  };
  const root = folderWith({ ".agents/skills/ios26-learned/SKILL.md": mergeSkillFile(null, skill) ?? "" });
  const { skills } = await readSkillFiles(root, skillSettings);
  const { name, description, body, tags, files } = skill;
  expect(skills).toMatchObject([{ name, description, body, tags, files }]);
});

test("SKILL-4: a folder is read up to 200 skills", async () => {
  const root = folderWith({});
  for (let at = 0; at < 210; at += 1) {
    const folder = join(root, `.agents/skills/s-${1000 + at}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "SKILL.md"), skillText(`s-${1000 + at}`));
  }
  const { skills, problems } = await readSkillFiles(root, skillSettings);
  expect(skills).toHaveLength(200);
  expect(problems).toEqual([".agents/skills: only the first 200 of 210 skills are read"]);
});
