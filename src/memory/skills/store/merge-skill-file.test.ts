import { expect, test } from "vitest";
import { parse } from "yaml";
import { safe } from "../../../base/safe-text.ts";
import { safeText } from "../../../trust/safe-text.ts";
import { isGenerated, mergeSkillFile } from "./merge-skill-file.ts";
import type { SkillContent } from "./skill.ts";

const skill: SkillContent = {
  name: safe`ios26-learned`,
  category: safe`ios26`,
  description: safe`Patterns: "glass". Use for ios26.`,
  body: safe`# ios26 Patterns (Auto-Generated)`,
  tags: [safe`ios26`, safe`swiftui`],
  files: [safe`Views/**`],
  source: { date: "2026-03-01", learningIds: [], taskIds: [], runIds: [] },
  evidenceHash: "h1",
};
const newer = { ...skill, description: safe`Other`, body: safe`# Other` };

test("SKILL-3: a new file has the frontmatter of the Agent Skills specification", () => {
  const text = mergeSkillFile(null, skill) ?? "";
  const [, yaml = "", body = ""] = text.split(/^---\n/m);
  expect(parse(yaml)).toEqual({
    name: "ios26-learned",
    description: 'Patterns: "glass". Use for ios26.',
    metadata: { "generated-by": "ralph", category: "ios26", tags: "ios26, swiftui", files: "Views/**" },
  });
  expect(body).toMatch(
    /^\n<!-- ralph:begin [0-9a-f]{12}: .*-->\n# ios26 Patterns \(Auto-Generated\)\n<!-- ralph:end -->\n$/,
  );
  const long = mergeSkillFile(null, { ...skill, description: safeText("wörd ".repeat(400)) }) ?? "";
  expect(parse(long.split(/^---\n/m)[1] ?? "").description.length).toBeLessThanOrEqual(1024);
});

test("SKILL-3: the same skill changes no byte, a new one only its part and ralph's frontmatter", () => {
  const text = mergeSkillFile(null, skill) ?? "";
  expect(mergeSkillFile(text, skill)).toBe(text);
  expect(mergeSkillFile(text, newer)).toBe(mergeSkillFile(null, newer));
});

test.each(["\n", "\r\n"])("SKILL-3: a person's text outside the markers stays byte for byte (%j)", (eol) => {
  const own = (mergeSkillFile(null, skill) ?? "")
    .replace("description: ", "license: MIT\ndescription: ")
    .replace("---\n\n<!--", "---\n\n# Mine\t \n\n<!--")
    .replaceAll("\n", eol);
  const edited = `${own}## More${eol}kept \u00e9`;
  const text = mergeSkillFile(edited, newer) ?? "";
  const [before, after] = [
    edited.split("<!-- ralph:begin")[0] ?? "",
    edited.split("<!-- ralph:end -->")[1] ?? "",
  ];
  expect(text.startsWith(`${before}<!-- ralph:begin`)).toBe(true);
  expect(text.endsWith(`# Other\n<!-- ralph:end -->${after}`)).toBe(true);
  expect(text).not.toContain("Auto-Generated");
  expect(mergeSkillFile(text, newer)).toBe(text);
});

test.each([
  ["no marker", "---\nname: ios26-learned\n---\n# Mine\n"],
  ["no end", "<!-- ralph:begin 0123456789ab: x -->\n# Mine\n"],
  ["two parts", "<!-- ralph:begin 0123456789ab: x -->\n<!-- ralph:end -->\n".repeat(2)],
  ["the wrong order", "<!-- ralph:end -->\n<!-- ralph:begin 0123456789ab: x -->\n"],
])("SKILL-3: a file with %s is a person's", (_, text) => {
  expect(mergeSkillFile(text, skill)).toBeUndefined();
  expect(isGenerated(text)).toBe(false);
});
