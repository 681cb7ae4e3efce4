import { type RedactedText, type SafeText, safe } from "../../../base/safe-text.ts";
import { clip } from "../../../base/text.ts";
import { safeLine } from "../../../trust/safe-text.ts";
import type { Evidence } from "../../port/skill-evidence.ts";
import type { SkillContent } from "../store/skill.ts";
import { type AggregatedPattern, type AntiPattern, distinct } from "./aggregate-evidence.ts";
import type { AggregatedTopic } from "./aggregate-topics.ts";
import { failedLine, plain, renderBody, type SkillLine } from "./skill-lines.ts";
import { topicKey } from "./topic-key.ts";

/** A topic with this many patterns, or one pattern seen as often, is worth a skill (SKILL-2). */
const threshold = 3;
const minTasks = 2;
/** Sorts of lessons and errors, which stand for a topic where a lesson and its task have none. */
const unspecific: ReadonlySet<string> = new Set([
  ...[
    "pitfall",
    "success-pattern",
    "tool-usage",
    "code-structure",
    "testing-strategy",
    "debugging-technique",
  ],
  ...["type-error", "test-failure", "lint-error", "build-error", "timeout", "dependency-error"],
  ...["missing-file", "logic-error", "unknown", "other", "notes"],
]);
/** With headings and empty lines, at most 60 lines. */
const maxPatterns = 20;
const maxAntiPatterns = 10;
const maxTags = 8;
const maxPlaces = 8;
const maxIdentifiers = 6;
const descriptionChars = 1024;

/** The strongest patterns of a topic that is worth a skill. */
export interface SkillDraft {
  readonly name: SafeText;
  readonly topic: AggregatedTopic["topic"];
  readonly patterns: readonly AggregatedPattern[];
  readonly antiPatterns: readonly AntiPattern[];
}

/** The lines of a draft in the words of a template or a model. */
export interface SkillText {
  readonly patterns: readonly SkillLine[];
  readonly antiPatterns: readonly SkillLine[];
}

/**
 * Selects what a topic's skill contains; undefined: the topic is not worth a skill (SKILL-2). Patterns that no
 * verified attempt stated do not count, and what only a sort of lesson has in common is no topic.
 */
export function draftSkill({ aggregate, topic }: AggregatedTopic): SkillDraft | undefined {
  const proven = aggregate.patterns.filter(({ verified }) => verified > 0);
  const isWorth = proven.length >= threshold || proven.some(({ count }) => count >= threshold);
  const successes = proven.flatMap(({ evidence }) => evidence.filter(({ verified }) => verified));
  if (
    !isWorth ||
    unspecific.has(aggregate.category) ||
    distinct(successes, ({ taskId }) => taskId).length < minTasks
  )
    return undefined;
  return {
    name: safe`${topic.slug}-learned`,
    topic,
    patterns: proven.slice(0, maxPatterns),
    antiPatterns: aggregate.antiPatterns.slice(0, maxAntiPatterns),
  };
}

/** Checks whether a topic may be worth a skill, before its patterns are merged. */
export function isFrequent({
  category,
  statements,
  tasks,
}: {
  readonly category: string;
  readonly statements: number;
  readonly tasks: number;
}): boolean {
  return statements >= threshold && tasks >= minTasks && !unspecific.has(category);
}

/** Returns the draft's patterns in the words of those who stated them. */
export function templateText({ patterns, antiPatterns }: SkillDraft): SkillText {
  return {
    patterns: patterns.map((pattern) => ({ text: plain(pattern.text), patterns: [pattern] })),
    antiPatterns: antiPatterns.map((pattern) => ({
      text: failedLine(pattern.text, pattern.lesson, pattern.error),
      patterns: [pattern],
    })),
  };
}

/** Returns the skill of a draft. The same draft and text give the same bytes. */
export function skillContent(draft: SkillDraft, text: SkillText): SkillContent {
  const { name, topic, patterns, antiPatterns } = draft;
  const all = [...patterns, ...antiPatterns];
  const evidence = all.flatMap((pattern) => pattern.evidence);
  const tags = tagsOf(topic.category, evidence);
  const places = placesOf(evidence);
  const source = {
    date:
      distinct(evidence, ({ at }) => at)
        .at(-1)
        ?.slice(0, 10) ?? "",
    learningIds: distinct(evidence, ({ learningId }) => learningId ?? "").filter((id) => id !== ""),
    taskIds: distinct(evidence, ({ taskId }) => taskId),
    runIds: distinct(evidence, ({ runId }) => runId ?? "").filter((id) => id !== ""),
  };
  const { category } = topic;
  return {
    name,
    category,
    description: describe(topic.category, { tags, places, patterns }),
    body: renderBody({ category, tags, places, ...text, ...source }),
    tags,
    files: places.map((place) => (place.endsWith("/") ? safe`${place}**` : place)),
    source,
    evidenceHash: topic.evidenceHash,
  };
}

/** Returns the topic, then the tags of the source tasks, the most frequent first. */
function tagsOf(category: RedactedText, evidence: readonly Evidence[]): readonly SafeText[] {
  const topic = plain(category, 60);
  const tags = byTasks(evidence, ({ tags: own }) => own.map((tag) => plain(tag, 60).trim()));
  return [topic, ...tags.filter((tag) => tag !== "" && topicKey(tag) !== category)].slice(0, maxTags);
}

/**
 * Returns the places of the source tasks' files, those of several tasks if there are such: a folder, ending with `/`, with at
 * least two of the files, else the one file. A single file says nothing about the others of its folder.
 */
function placesOf(evidence: readonly Evidence[]): readonly SafeText[] {
  const found = new Map<string, { readonly tasks: Set<string>; readonly files: Set<string> }>();
  for (const { taskId, files } of evidence)
    for (const file of files) {
      const path = plain(file, 500);
      const folder = path.split("/").slice(0, -1).join("/");
      if (folder === "" || folder.startsWith(".") || /[*?[\]{}!,]/.test(path)) continue;
      const known = found.get(folder) ?? { tasks: new Set<string>(), files: new Set<string>() };
      known.tasks.add(taskId);
      known.files.add(path);
      found.set(folder, known);
    }
  const ranked = [...found].sort(([a, m], [b, n]) => n.tasks.size - m.tasks.size || (a < b ? -1 : 1));
  const shared = ranked.filter(([, { tasks }]) => tasks.size > 1);
  return (shared.length > 0 ? shared : ranked).slice(0, maxPlaces).map(([folder, { files }]) => {
    const [file = ""] = files;
    return safeLine(files.size > 1 ? `${folder}/` : file);
  });
}

/** Returns different values of the evidence, those of the most tasks first. */
function byTasks(
  evidence: readonly Evidence[],
  valuesOf: (one: Evidence) => readonly SafeText[],
): readonly SafeText[] {
  const tasks = new Map<SafeText, Set<string>>();
  for (const one of evidence)
    for (const value of valuesOf(one))
      tasks.set(value, (tasks.get(value) ?? new Set<string>()).add(one.taskId));
  return [...tasks]
    .sort(([a, { size: m }], [b, { size: n }]) => n - m || (a < b ? -1 : 1))
    .map(([value]) => value);
}

/** Says what the skill holds and when it applies. */
function describe(
  category: RedactedText,
  {
    tags,
    places,
    patterns,
  }: {
    readonly tags: readonly SafeText[];
    readonly places: readonly SafeText[];
    readonly patterns: readonly AggregatedPattern[];
  },
): SafeText {
  const about = identifiersOf(patterns);
  const what = about.length > 0 ? safe` (${safeLine(about.join(", "))})` : "";
  const where = places.length > 0 ? safe`, or when changing ${safeLine(describePlaces(places))}` : "";
  const when = safe`Use for tasks about ${safeLine(tags.join(", "))}${where}.`;
  return clip(
    safe`Patterns and anti-patterns for ${plain(category, 60)}${what}, learned from verified tasks. ${when}`,
    descriptionChars,
  );
}

/** `files in a/, b/ or c/d.ts`. */
function describePlaces(places: readonly SafeText[]): string {
  const folders = places.filter((place) => place.endsWith("/"));
  const files = places.filter((place) => !place.endsWith("/"));
  const inFolders = folders.length > 0 ? [`files in ${folders.join(", ")}`] : [];
  return [...inFolders, ...(files.length > 0 ? [files.join(", ")] : [])].join(" or ");
}

/** Returns the code-like words of the strongest patterns. */
function identifiersOf(patterns: readonly AggregatedPattern[]): readonly string[] {
  const found = patterns.flatMap(
    ({ text }) =>
      plain(text).match(/[@.]?\b(?:\w+\.)*(?:[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|\w+_\w+|\w+\(\))/g) ?? [],
  );
  return [...new Set(found.filter((word) => word.length <= 40))].slice(0, maxIdentifiers);
}
