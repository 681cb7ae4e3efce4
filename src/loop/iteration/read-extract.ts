import { isObject, type JsonObject, type JsonValue, parseJson } from "../../base/json.ts";
import type { StatedLearning } from "../../outcome/outcome.ts";

const maxEach = 10;
const maxChars = 20_000;
const textChars = 1200;
const namedChars = 600;
const topicChars = 60;

/** The lists of an answer: the category of their learnings, and the fields that form the text. */
const lists = [
  { name: "failures", category: "pitfall", fields: ["pattern", "lesson"], needed: 2 },
  { name: "successes", category: "success_pattern", fields: ["pattern"], needed: 1 },
  { name: "discoveries", category: "debugging_technique", fields: ["description", "source"], needed: 1 },
] as const;

/** The content of an answer, in the form of an agent's sigils. */
export interface Extracted {
  readonly learnings: readonly StatedLearning[];
  readonly missingContext: readonly string[];
  readonly wishedSkills: readonly string[];
}

/**
 * Returns what a model's answer states. Only one JSON object with the requested lists is accepted, in a fence or not;
 * for any other answer it returns undefined, as the model may have followed instructions in the log. The texts are as
 * untrusted as an agent's own message.
 */
export function readExtract(answer: string): Extracted | undefined {
  const text = answer.trim();
  if (text.length > maxChars) return undefined;
  const bare = /^```(?:json)?\s*\n([\s\S]*)\n```$/.exec(text)?.[1] ?? text;
  const value = parseJson(bare);
  if (!isObject(value)) return undefined;
  const learnings = learningsIn(value);
  const missingContext = textsOf(value["missing_context"]);
  const wishedSkills = textsOf(value["wished_for_skills"]);
  return learnings && missingContext && wishedSkills && { learnings, missingContext, wishedSkills };
}

function learningsIn(value: JsonObject): readonly StatedLearning[] | undefined {
  const found: StatedLearning[] = [];
  for (const kind of lists) {
    const list = value[kind.name];
    if (!Array.isArray(list) || list.length > maxEach) return undefined;
    for (const one of list as readonly JsonValue[]) {
      const learning = isObject(one) ? learningOf(one, kind) : undefined;
      if (!learning) return undefined;
      found.push(learning);
    }
  }
  return found;
}

/** Returns a list of short texts, "" for none left out; an absent list is empty. */
function textsOf(list: JsonValue | undefined): readonly string[] | undefined {
  if (list === undefined) return [];
  if (!Array.isArray(list) || list.length > maxEach) return undefined;
  const texts = (list as readonly JsonValue[]).filter((text) => typeof text === "string");
  if (texts.length < list.length || texts.some((text) => text.length > namedChars)) return undefined;
  return texts.map((text) => text.trim()).filter(Boolean);
}

function learningOf(
  one: JsonObject,
  { category, fields, needed }: (typeof lists)[number],
): StatedLearning | undefined {
  const topic = one["category"];
  const texts = fields.map((name) => one[name] ?? "");
  const whole = texts.every((text): text is string => typeof text === "string" && text.length <= textChars);
  if (!whole || texts.slice(0, needed).some((text) => text.trim() === "")) return undefined;
  if (typeof topic !== "string" || topic.trim() === "" || topic.length > topicChars) return undefined;
  const when = one["when"] ?? "";
  if (typeof when !== "string" || when.length > namedChars) return undefined;
  const parts = texts.map((part) => part.trim()).filter(Boolean);
  const supplement = parts[1] === undefined ? {} : { supplement: parts[1] };
  const applies = when.trim() === "" ? {} : { when: when.trim() };
  return {
    ...{ category, tags: [topic.trim()], topic: topic.trim(), text: parts.join(": ") },
    ...{ ...supplement, ...applies },
  };
}
