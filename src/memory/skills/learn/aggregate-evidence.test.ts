import { expect, test } from "vitest";
import { safeLine } from "../../../trust/safe-text.ts";
import type { Evidence } from "../../port/skill-evidence.ts";
import { aggregateTopic, groupByTopic } from "./aggregate-evidence.ts";

const aggregated = (all: readonly Evidence[]) => groupByTopic(all).map(aggregateTopic);

function evidence(
  pattern: string,
  more: Partial<Omit<Evidence, "category">> & { category?: string } = {},
): Evidence {
  const { category = "dates", ...fields } = more;
  return {
    ...{ kind: "success", supplement: safeLine(""), reusable: true, statedIn: "learning", recordId: "r-1" },
    ...{ learningId: null, taskId: "t-1", runId: "run-1", attempt: 1, outcome: "success", verified: true },
    ...{ imported: false, error: null, tags: [], files: [], at: "2026-03-01T10:00:00.000Z", ...fields },
    category: safeLine(category),
    pattern: safeLine(pattern),
  };
}

test("SKILL-1: one attempt that states a pattern twice counts once, an imported record is never verified", () => {
  const [topic] = aggregated([
    evidence("Parse dates as UTC", { learningId: "l-2" }),
    evidence("Dates are parsed as UTC.", { learningId: "l-1" }),
    evidence("Parse dates as UTC", {
      recordId: "r-2",
      taskId: "t-2",
      verified: false,
      at: "2026-03-02T00:00:00.000Z",
    }),
  ]);
  expect(topic).toMatchObject({ category: "dates", entries: 3, antiPatterns: [] });
  expect(topic?.patterns).toMatchObject([
    {
      ...{ text: "Parse dates as UTC", count: 2, verified: 1, taskIds: ["t-1", "t-2"] },
      ...{ learningIds: ["l-1", "l-2"], lastSeen: "2026-03-02T00:00:00.000Z" },
    },
  ]);
});

test("SKILL-1: topics in other spellings are one, texts without a topic are none", () => {
  const names = ["Foundation Models", "foundation_models", "foundation-models", "  ", "FOUNDATION  models"];
  const topics = aggregated(names.map((category, at) => evidence(`Lesson ${at}`, { category })));
  expect(topics.map(({ category, entries }) => [category, entries])).toEqual([["foundation-models", 4]]);
});

test("SKILL-1: an anti-pattern has the newest lesson and error; what ralph reported of an attempt is none", () => {
  const failed = { kind: "failure", verified: false } as const;
  const [topic] = aggregated([
    evidence("Used local time", { ...failed, supplement: safeLine("Use UTC"), error: safeLine("old") }),
    evidence("Used local time", { ...failed, recordId: "r-2", error: safeLine("off by one"), at: "2026-04" }),
    evidence("Done, I think.", { ...failed, recordId: "r-3", statedIn: "facts" }),
  ]);
  expect(topic?.patterns).toEqual([]);
  expect(topic?.antiPatterns).toMatchObject([{ count: 2, lesson: "Use UTC", error: "off by one" }]);
});

test("SKILL-1: the order of topics and patterns is that of strength and names, whatever the order of the evidence", () => {
  const all = [
    evidence("Close the file", { category: "b" }),
    evidence("Open the file", { category: "b", recordId: "r-2", taskId: "t-2" }),
    evidence("Open the file", { category: "b", recordId: "r-3", taskId: "t-3" }),
    evidence("Sort the rows", { category: "a" }),
  ];
  const order = aggregated(all).map(({ category, patterns }) => [
    category,
    ...patterns.map(({ text }) => text),
  ]);
  expect(order).toEqual([
    ["a", "Sort the rows"],
    ["b", "Open the file", "Close the file"],
  ]);
});
