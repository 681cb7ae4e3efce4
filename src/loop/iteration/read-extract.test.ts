import fc from "fast-check";
import { expect, test } from "vitest";
import { readExtract } from "./read-extract.ts";

const whole = {
  successes: [{ pattern: "Run the parser's tests alone.", category: "testing", reusable: true }],
  failures: [{ pattern: "Local time in dates.ts", category: "dates", lesson: "leap days need UTC" }],
  discoveries: [{ description: "The cache is per process.", source: "src/cache.ts", category: "cache" }],
  missing_context: ["which time zone"],
  wished_for_skills: [],
};

test("LEARN-2: an extracted record becomes learnings, failures first, bare or in a fence", () => {
  const read = readExtract(JSON.stringify(whole));
  expect(read?.learnings.map(({ category, topic, text }) => [category, topic, text])).toEqual([
    ["pitfall", "dates", "Local time in dates.ts: leap days need UTC"],
    ["success_pattern", "testing", "Run the parser's tests alone."],
    ["debugging_technique", "cache", "The cache is per process.: src/cache.ts"],
  ]);
  expect(read).toMatchObject({ missingContext: ["which time zone"], wishedSkills: [] });
  expect(readExtract(`\n\`\`\`json\n${JSON.stringify(whole)}\n\`\`\`\n`)).toEqual(read);
});

test.each([
  ["words around it", `Sure! ${JSON.stringify(whole)}`],
  ["no object", "[]"],
  ["a missing list", JSON.stringify({ ...whole, failures: undefined })],
  ["a wrong type", JSON.stringify({ ...whole, successes: [{ pattern: 7, category: "a" }] })],
  ["an empty lesson", JSON.stringify({ ...whole, failures: [{ pattern: "a", category: "b", lesson: " " }] })],
  ["a skill that is no text", JSON.stringify({ ...whole, wished_for_skills: [7] })],
  ["a flood", JSON.stringify({ ...whole, successes: Array.from({ length: 11 }, () => whole.successes[0]) })],
  [
    "a text too long",
    JSON.stringify({ ...whole, successes: [{ pattern: "x".repeat(1300), category: "a" }] }),
  ],
])("LEARN-2: an answer with %s is refused whole", (_, answer) => {
  expect(readExtract(answer)).toBeUndefined();
});

test("LEARN-2: no answer makes reading it throw", () => {
  fc.assert(fc.property(fc.oneof(fc.json(), fc.string()), (answer) => void readExtract(answer)));
});
