import { messageOf } from "../../../base/errors.ts";
import { parseYaml, type YamlObject, type YamlValue } from "../../../base/yaml.ts";

/** The content of a skill's file. */
export interface SkillContents {
  readonly description: string;
  /** Lower case. */
  readonly tags: readonly string[];
  /** Globs or folders of files. */
  readonly files: readonly string[];
  /** The Markdown after the frontmatter. */
  readonly body: string;
}

interface SkillPlace {
  /** For messages. */
  readonly file: string;
  /** The name that its folder, or its own name, gives it. */
  readonly name: string;
  /** A command needs no frontmatter. */
  readonly layout: "skills" | "commands";
}

const frontmatter = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|$)/;
const markers = /^<!-- ralph:(?:begin|end)\b[^\n]*-->[ \t]*(?:\r?\n|$)/gm;
const maxLabels = 50;

/**
 * Parses a skill: YAML frontmatter with `name` and `description` as the Agent Skills specification has it, then
 * Markdown. Tags and files are lists, or texts with commas, in the frontmatter or under `metadata`. Returns the reason
 * if it is malformed.
 */
export function parseSkillFile(text: string, { file, name, layout }: SkillPlace): SkillContents | string {
  const found = frontmatter.exec(text);
  const body = text
    .slice(found?.[0].length ?? 0)
    .replace(markers, "")
    .trim();
  if (!found && layout === "skills") return "it has no frontmatter";
  const fields = readFields(found?.[1] ?? "", file);
  if (typeof fields === "string") return fields;
  const stated = fields["name"];
  if (layout === "skills" && stated !== name) return "the `name` in its frontmatter differs from its folder";
  const description = textOf(fields["description"]) || (layout === "commands" ? firstLine(body) : "");
  if (description === "") return "it has no description";
  const metadata = isMapping(fields["metadata"]) ? fields["metadata"] : {};
  const labels = (key: string): readonly string[] => {
    const all = [...listOf(metadata[key]), ...listOf(fields[key])];
    return [...new Set(all)].slice(0, maxLabels);
  };
  return { description, tags: labels("tags").map((tag) => tag.toLowerCase()), files: labels("files"), body };
}

function readFields(yaml: string, file: string): YamlObject | string {
  if (yaml.trim() === "") return {};
  try {
    const { value } = parseYaml(yaml, { file, maxDepth: 8 });
    return isMapping(value) ? value : "its frontmatter is not a mapping";
  } catch (error) {
    return `its frontmatter is not valid: ${messageOf(error)}`;
  }
}

function isMapping(value: YamlValue | undefined): value is YamlObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOf(value: YamlValue | undefined): string {
  return typeof value === "string" ? value.trim() : "";
}

function listOf(value: YamlValue | undefined): readonly string[] {
  const items = typeof value === "string" ? value.split(",") : Array.isArray(value) ? value : [];
  return items.map(textOf).filter((item) => item !== "");
}

function firstLine(body: string): string {
  const line = body.split("\n").find((one) => one.trim() !== "") ?? "";
  return line.replace(/^#+\s*/, "").trim();
}
