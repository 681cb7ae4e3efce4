import { isObject, type JsonObject, type JsonValue, parseJson } from "../../base/json.ts";
import type { StatedLearning } from "../../outcome/outcome.ts";

const maxEach = 10;
const maxChars = 20_000;
const textChars = 1200;
const topicChars = 60;

/** Which list holds what: the learning's category, and the fields that make its text. */
const lists = [
  { name: "failures", category: "pitfall", fields: ["pattern", "lesson"], needed: 2 },
  { name: "successes", category: "success_pattern", fields: ["pattern"], needed: 1 },
  { name: "discoveries", category: "debugging_technique", fields: ["description", "source"], needed: 1 },
] as const;

/**
 * The learnings in a model's answer. Strict: one JSON object, in a fence or not, its lists as asked for; undefined for
 * anything else, for who answers in another form may have followed the log instead of us. What it says is as untrusted as
 * an agent's own words.
 */
export function readExtract(answer: string): readonly StatedLearning[] | undefined {
  const text = answer.trim();
  if (text.length > maxChars) return undefined;
  const bare = /^```(?:json)?\s*\n([\s\S]*)\n```$/.exec(text)?.[1] ?? text;
  const value = parseJson(bare);
  if (!isObject(value)) return undefined;
  const found: StatedLearning[] = [];
  for (const { name, category, fields, needed } of lists) {
    const list = value[name];
    if (!Array.isArray(list) || list.length > maxEach) return undefined;
    for (const one of list as readonly JsonValue[]) {
      const said = isObject(one) ? learningOf(one, { category, fields, needed }) : undefined;
      if (!said) return undefined;
      found.push(said);
    }
  }
  return found;
}

function learningOf(
  one: JsonObject,
  {
    category,
    fields,
    needed,
  }: { readonly category: string; readonly fields: readonly string[]; readonly needed: number },
): StatedLearning | undefined {
  const topic = one["category"];
  const texts = fields.map((name) => one[name] ?? "");
  const whole = texts.every((text): text is string => typeof text === "string" && text.length <= textChars);
  if (!whole || texts.slice(0, needed).some((text) => text.trim() === "")) return undefined;
  if (typeof topic !== "string" || topic.trim() === "" || topic.length > topicChars) return undefined;
  const text = texts
    .map((part) => part.trim())
    .filter(Boolean)
    .join(": ");
  return { category, tags: [topic.trim()], topic: topic.trim(), text };
}
