import picomatch from "picomatch";
import type { FileRules } from "../port/skill-settings.ts";
import type { SkillFile } from "./store/read-skill-files.ts";

/** The labels of a task. */
interface TaskLabels {
  readonly tags: readonly string[];
  readonly files: readonly string[];
}

/** A skill with the reasons why it fits a task. */
export interface LabelMatch {
  readonly skill: SkillFile;
  // Clauses for people, such as: a file of **/*Views* (swiftui).
  readonly reasons: readonly string[];
  /** The number of tags and file patterns that fit; of tags that only its text has, the half. */
  readonly score: number;
}

/**
 * Returns the skills that fit a task's tags or files (SKILL-4), in the given order. A skill's tags are those it states
 * and its name, with and without `-learned`. Case does not matter. Pure.
 */
export function matchLabels(
  skills: readonly SkillFile[],
  { tags, files }: TaskLabels,
  rules: FileRules,
): readonly LabelMatch[] {
  const own = new Set(tags.map((tag) => tag.trim().toLowerCase()).filter((tag) => tag !== ""));
  const byRule = ruleTags(files, rules);
  return skills.flatMap((skill) => {
    const labels = labelsOf(skill);
    const named = labels.filter((label) => own.has(label));
    const ruled = labels.filter((label) => !own.has(label) && byRule.has(label));
    const inText = [...own].filter((tag) => !labels.includes(tag) && isInText(tag, skill));
    const patterns = skill.files.filter((pattern) => isSimple(pattern) && files.some(matcherOf(pattern)));
    const score = named.length + ruled.length + patterns.length + textShare * inText.length;
    if (score === 0) return [];
    const reasons = [
      ...named.map((tag) => `tag ${tag}`),
      ...ruled.map((tag) => `a file of ${byRule.get(tag)} (${tag})`),
      ...patterns.map((pattern) => `a file of ${pattern}`),
      ...inText.map((tag) => `tag ${tag} in its text`),
    ];
    return [{ skill, reasons, score }];
  });
}

const textShare = 0.5;

/** Reports whether a skill's text has a tag as a word. */
function isInText(tag: string, { description, body }: SkillFile): boolean {
  const text = `${description}\n${body}`.toLowerCase();
  const isWord = (character: string | undefined): boolean => /[\p{L}\p{N}]/u.test(character ?? "");
  for (let at = text.indexOf(tag); at >= 0; at = text.indexOf(tag, at + 1))
    if (!isWord(text[at - 1]) && !isWord(text[at + tag.length])) return true;
  return false;
}

/** Returns each tag that a rule adds for one of the files, with the rule's glob. */
function ruleTags(files: readonly string[], rules: FileRules): ReadonlyMap<string, string> {
  const tags = new Map<string, string>();
  for (const [glob, added] of Object.entries(rules)) {
    if (!files.some(matcherOf(glob))) continue;
    for (const tag of added) if (!tags.has(tag.toLowerCase())) tags.set(tag.toLowerCase(), glob);
  }
  return tags;
}

const maxPatternChars = 200;
const maxStars = 4;

/** Rejects globs of skills whose matching could take long: the time grows with each star. */
function isSimple(pattern: string): boolean {
  return pattern.length <= maxPatternChars && (pattern.match(/\*+/g) ?? []).length <= maxStars;
}

/** Matches a path with a glob, and what is in the folder that a pattern names (`Views`, `Views/`). */
function matcherOf(pattern: string): (file: string) => boolean {
  const plain = pattern.replace(/\/+$/, "");
  const matches = picomatch([plain, `${plain}/**`], { dot: true, noextglob: true });
  return (file) => matches(file.replace(/^\.\//, ""));
}

function labelsOf({ name, tags }: SkillFile): readonly string[] {
  const topic = name.replace(/-learned(?:-\d+)?$/, "");
  return [...new Set([...tags, name, topic])];
}
