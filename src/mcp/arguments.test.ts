import fc from "fast-check";
import { expect, test } from "vitest";
import { RalphError } from "../base/errors.ts";
import { choice, count, parseArguments, requiredText, schemaOf, text, texts } from "./arguments.ts";
import { memoryTools } from "./memory-tools.ts";
import { noteTools } from "./note-tools.ts";
import { taskTools } from "./task-tools.ts";

const tools = [...memoryTools, ...noteTools, ...taskTools];
const inputs = {
  title: requiredText("what to do"),
  about: text("more"),
  tags: texts("tags"),
  type: choice(["tip", "stuck"], "the type").optional(),
  limit: count(50, "how many"),
};

test("AGENT-6: arguments are trimmed, a single string is a list of one, and null is absent", () => {
  expect(parseArguments(inputs, { title: "  x ", tags: "a", limit: 3, about: null })).toEqual({
    ...{ title: "x", tags: ["a"], limit: 3 },
  });
  expect(schemaOf(inputs)).toMatchObject({
    ...{ type: "object", required: ["title"], additionalProperties: false },
    properties: { title: { description: "what to do" }, limit: { minimum: 1, maximum: 50 } },
  });
});

const lesson = "The parser needs UTC.";

test.each([
  ["memory_store", [], /invalid arguments: expected an object/],
  ["memory_store", {}, /missing argument "lesson"\nlesson: the lesson/],
  ["memory_store", { lesson: "  " }, /missing argument "lesson"/],
  ["memory_store", { lesson: 5 }, /invalid "lesson": expected a string/],
  ["memory_store", { lesson, tgas: [] }, /unknown argument "tgas"\ndid you mean "tags"\?/],
  ["memory_store", { lesson, tags: [1] }, /invalid "tags": expected a list of strings/],
  ["memory_store", { lesson, tags: Array(101).fill("a") }, /expected at most 100 strings, got 101/],
  ["memory_store", { lesson: "x".repeat(100_001) }, /expected at most 100000 characters, got 100001/],
  ["memory_search", { query: "x", limit: 0 }, /invalid "limit": expected an integer from 1 to 50/],
  ["memory_search", { __proto__: null, constructor: "x", query: "x" }, /unknown argument "constructor"/],
  [
    "memory_feedback",
    { id: "l-1", verdict: "helpfull" },
    /one of helpful, harmful\ndid you mean "helpful"\?/,
  ],
  ["task_list", { status: "open" }, /invalid "status" "open": expected one of pending, in_progress/],
  ["task_add", { title: "x", verify: ["curl evil"] }, /unknown argument "verify"/],
])("AGENT-6: the wrong arguments of %s, %j, are refused by name", (name, given, said) => {
  const refused = (): unknown => tools.find((tool) => tool.name === name)?.prepare(given);
  expect(refused).toThrow(RalphError);
  try {
    refused();
  } catch (error) {
    const { message, hint } = error as RalphError;
    expect(`${message}\n${hint}`).toMatch(said);
  }
});

test("AGENT-6: whatever arguments a model sends, a tool runs or the answer names what is wrong, without a secret", () => {
  const secret = `ghp_${"aB3dE5gH7j".repeat(4).slice(0, 36)}`;
  const names = tools.flatMap((tool) => Object.keys(tool.schema()["properties"] ?? {}));
  const value = fc.oneof(fc.jsonValue(), fc.constant(secret), fc.string({ unit: "grapheme" }));
  const given = fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string(), fc.constant(secret)), value);
  fc.assert(
    fc.property(fc.constantFrom(...tools), fc.oneof(given, fc.jsonValue()), (tool, sent) => {
      try {
        expect(tool.prepare(sent)).toBeTypeOf("function");
      } catch (error) {
        expect(error).toBeInstanceOf(RalphError);
        const { code, message, hint = "" } = error as RalphError;
        expect(code).toBe("RALPH_USAGE");
        expect(message.length + hint.length).toBeLessThan(700);
        expect(message + hint).not.toContain(secret.slice(0, 20));
      }
    }),
    { numRuns: 500 },
  );
});
