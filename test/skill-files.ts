import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { settingKeys } from "../src/config/keys.ts";
import type { SkillSettings } from "../src/memory/port/skill-settings.ts";

const defaultOf = (key: string) => settingKeys.find((one) => one.key === key)?.defaultValue;

/** The settings of a project without a configuration. */
export const skillSettings: SkillSettings = {
  dirs: defaultOf("skills.dirs") as readonly string[],
  layout: "skills",
  fileRules: defaultOf("skills.fileRules") as SkillSettings["fileRules"],
};

/** A folder with these files, gone when the test ends. */
export function folderWith(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), "ralph-skills-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), content);
  }
  return root;
}

interface SkillParts {
  readonly description?: string;
  /** Separated by commas. */
  readonly tags?: string;
  readonly body?: string;
}

/** The text of a skill's file. */
export function skillText(name: string, parts: SkillParts = {}): string {
  const { description = `How to work on ${name}.`, tags = "", body = `# ${name}\n\nUse ${name}.\n` } = parts;
  const metadata = tags === "" ? "" : `metadata:\n  tags: "${tags}"\n`;
  return `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n${metadata}---\n\n${body}`;
}
