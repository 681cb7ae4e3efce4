import { expect, test } from "vitest";
import { sampleOutcome, saying } from "../../../test/sample-outcome.ts";
import { registerSecrets } from "../../trust/registered-secrets.ts";
import { buildReport } from "./build-report.ts";

test("FAIL-2: the agent's own report is kept as it is", () => {
  const report = {
    whatTried: "Rewrote the parser",
    whyFailed: "The lexer drops newlines",
    errorCategory: "logic_error",
    relevantFiles: ["src/lexer.ts"],
    stackTrace: "at lex (src/lexer.ts:9)",
  };
  const claims = saying({ report, retrySuggestion: "Start at the lexer" });
  expect(buildReport(sampleOutcome({ claims }))).toMatchObject({
    whatTried: "Rewrote the parser",
    whyFailed: "The lexer drops newlines",
    category: "logic_error",
    files: ["src/lexer.ts"],
    snippet: "at lex (src/lexer.ts:9)",
    retrySuggestion: "Start at the lexer",
    signature: "type_error:1",
  });
});

test("FAIL-2: without one it is built from facts: last words, verdict, error, files, category", () => {
  expect(buildReport(sampleOutcome())).toMatchObject({
    whatTried: "I changed the parser to return a number. The tests should pass now.",
    whyFailed:
      "verification failed: `npm test` ended with exit code 1. src/a.ts(3,1): error TS2322: Type 'string' is not assignable to type 'number'.",
    category: "type_error",
    files: ["src/a.ts"],
    snippet: "src/a.ts(3,1): error TS2322: Type 'string' is not assignable to type 'number'.",
    retrySuggestion: null,
  });
});

test("FAIL-2: a session that ended without a word says how it ended", () => {
  const agentError = {
    kind: "timeout",
    message: "killed with SIGTERM after 30m",
    resetAt: null,
    hint: null,
  } as const;
  const report = buildReport(
    sampleOutcome({
      name: "error",
      finalMessage: "",
      agentError,
      checks: [],
      errorExcerpt: "",
      reason: "the agent took longer than 30m",
    }),
  );
  expect(report.whyFailed).toBe("the agent took longer than 30m. timeout: killed with SIGTERM after 30m.");
  expect(report.whatTried).toBe("Changed src/a.ts; the agent left no message.");
});

test("FAIL-2: an agent's unknown category gives way to the one found in the output", () => {
  const report = {
    whatTried: "a",
    whyFailed: "b",
    errorCategory: "unknown",
    relevantFiles: [],
    stackTrace: "",
  };
  const built = buildReport(sampleOutcome({ claims: saying({ report }) }));
  expect(built.category).toBe("type_error");
  expect(built.files).toEqual(["src/a.ts"]);
});

test("FAIL-1: the stored snippet keeps 500 characters, and of a long output its error", () => {
  const noise = Array.from(
    { length: 80 },
    (_, i) => `web:build: bundling chunk number ${i} of the application`,
  );
  const error = "src/cart.ts(10,5): error TS2345: Argument of type 'Cart' is not assignable.";
  const { snippet } = buildReport(
    sampleOutcome({ errorExcerpt: [...noise, error, ...noise.slice(0, 20)].join("\n") }),
  );
  expect(snippet.length).toBeLessThanOrEqual(500);
  expect(snippet).toContain(error);
});

test("FAIL-2: last words are the first sentences outside sigils, whatever the sigils hold", () => {
  const words = (finalMessage: string): string => buildReport(sampleOutcome({ finalMessage })).whatTried;
  const sigils = "<failure-report>\nwhat_tried: x\n</failure-report>\n<task-failed>t-1</task-failed>";
  expect(words(`One. Two! Three? Four.\n${sigils}`)).toBe("One. Two! Three?");
  expect(words(`${sigils}\nAfter them.`)).toBe("After them.");
  expect(words(sigils)).toBe("Changed src/a.ts; the agent left no message.");
  expect(words("<learning>never closed, so it is text")).toBe("<learning>never closed, so it is text");
});

test("TRUST-1: a report holds no secret, not even half of one at a cut", () => {
  const secret = "s3cr3t-value-of-this-very-test-0123456789";
  registerSecrets([secret]);
  const leaky = `${"x".repeat(480)} ${secret}. Then more.`;
  const claims = saying({ retrySuggestion: leaky });
  const report = buildReport(
    sampleOutcome({ finalMessage: leaky, errorExcerpt: `error: ${leaky}`, reason: leaky, claims }),
  );
  expect(JSON.stringify(report)).not.toContain("s3cr3t");
});

test("FAIL-2: a session without a word that changed only a person's file says so", () => {
  const work = { ...sampleOutcome().work, changedPaths: [], files: [], usersFiles: ["src/a.js"] };
  expect(buildReport(sampleOutcome({ work, finalMessage: "" })).whatTried).toBe(
    "Changed only the user's own src/a.js; the agent left no message.",
  );
});
