import { yamlString } from "../../../base/json.ts";
import type { AggregatedPattern, CategoryAggregate } from "./aggregate-evidence.ts";

/** Returns the text of a topic's file: YAML, each text as a JSON string, which is a YAML string too. */
export function renderTopicFile({ category, entries, patterns, antiPatterns }: CategoryAggregate): string {
  const lines = [
    `category: ${yamlString(category)}`,
    `entries: ${entries}`,
    ...list("patterns", patterns, () => []),
    ...list("anti_patterns", antiPatterns, ({ lesson, error }) => [
      `lesson: ${yamlString(lesson)}`,
      `error: ${error === null ? "null" : yamlString(error)}`,
    ]),
  ];
  return `${lines.join("\n")}\n`;
}

function list<T extends AggregatedPattern>(
  name: string,
  patterns: readonly T[],
  more: (pattern: T) => readonly string[],
): readonly string[] {
  if (patterns.length === 0) return [`${name}: []`];
  const items = patterns.flatMap((pattern) =>
    [
      `id: ${pattern.id}`,
      `pattern: ${yamlString(pattern.text)}`,
      ...more(pattern),
      `count: ${pattern.count}`,
      `tasks: ${strings(pattern.taskIds)}`,
      `verified: ${pattern.verified}`,
      `last_seen: ${yamlString(pattern.lastSeen)}`,
      `learnings: ${strings(pattern.learningIds)}`,
    ].map((line, at) => `${at === 0 ? "  - " : "    "}${line}`),
  );
  return [`${name}:`, ...items];
}

function strings(all: readonly string[]): string {
  return `[${all.map(yamlString).join(", ")}]`;
}
