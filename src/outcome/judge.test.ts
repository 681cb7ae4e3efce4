import { describe, expect, test } from "vitest";
import { check, done, facts, failedCheck, failure, says, work } from "../../test/fakes/judge-facts.ts";
import { type JudgeFacts, judge } from "./judge.ts";

const verdict = (changes: Partial<JudgeFacts>): string => {
  const { name, verification } = judge(facts(changes));
  return `${name}/${verification}`;
};

describe("every combination of claim, completion, change, verification and guard", () => {
  const claims = {
    done,
    failed: says("<task-failed>t-1</task-failed>"),
    both: says("<task-failed>t-1</task-failed>\n<task-done>t-1</task-done>"),
    none: says("Bye."),
  };
  const checks = { passed: [check(), check()], failed: [check(), failedCheck], none: [] };
  type Row = [keyof typeof claims, "signal" | "verified", "changed" | "same", keyof typeof checks];

  /** The rule in its own order, as SPEC says it: the table below is all rows of it. */
  const expected = (
    [claim, completion, change, verified]: Row,
    allowNoChange: boolean,
    strict: boolean,
  ): string => {
    if (claim === "failed" || claim === "both") return "failed/null";
    if (claim === "none" && (completion === "signal" || verified === "none")) return "no_sigil/null";
    if (change === "same" && !allowNoChange) return "failed/no_change";
    if (verified === "none") return "done/unverified";
    if (verified === "failed" || strict) return "failed/failed";
    return "done/passed";
  };
  const rows: Row[] = [];
  for (const claim of ["done", "failed", "both", "none"] as const)
    for (const completion of ["signal", "verified"] as const)
      for (const change of ["changed", "same"] as const)
        for (const verified of ["passed", "failed", "none"] as const)
          rows.push([claim, completion, change, verified]);

  test.each(rows)("LOOP-4, SIG-8: claim %s, completion %s, project %s, checks %s", (...row) => {
    const [claim, completion, change, verified] = row;
    for (const allowNoChange of [false, true]) {
      for (const guardWarnings of [[], ["vitest.config.ts was changed"]]) {
        const files = change === "changed" ? ["a.ts", "vitest.config.ts"] : [];
        const strict = guardWarnings.length > 0 && change === "changed";
        const given: Partial<JudgeFacts> = {
          claims: claims[claim],
          checks: checks[verified],
          configured: verified !== "none",
          work: work({ changed: change === "changed", files }),
          completion,
          allowNoChange,
          guardWarnings: change === "changed" ? guardWarnings : [],
        };
        expect(verdict(given)).toBe(expected(row, allowNoChange, strict));
        expect(verdict({ ...given, result: failure("crash", "boom") })).toBe("error/null");
      }
    }
  });
});

describe("reasons, in a sentence", () => {
  test.each<[string, Partial<JudgeFacts>, string]>([
    ["LOOP-4: passed", {}, "verified by 1 command"],
    [
      "LOOP-4: unverified",
      { configured: false, checks: [] },
      "claimed by the agent; no verification is configured",
    ],
    ["LOOP-4: failed", { checks: [failedCheck] }, "verification failed: npm test: exit code 1"],
    [
      "LOOP-4: no test",
      { checks: [check({ passed: false, reason: "exit code 0, but it ran no test" })] },
      "verification failed: npm test: exit code 0, but it ran no test",
    ],
    ["LOOP-4: verification missing although configured", { checks: [] }, "verification was not run"],
    [
      "LOOP-4: no change",
      { work: work({ changed: false }), checks: [] },
      "the agent claimed completion, but nothing in the project has changed, and no <no-change-needed> says why",
    ],
    [
      "SIG-8: silent",
      { claims: says(""), checks: [] },
      "the agent ended without claiming that the task is done",
    ],
    [
      "SIG-1: gives up",
      { claims: says("<task-failed>t-1</task-failed>"), checks: [] },
      "the agent reported failure",
    ],
    [
      "SIG-1: gives up with a question, which a person can answer",
      {
        claims: says("<task-failed>t-1</task-failed>"),
        result: {
          ...facts({}).result,
          finalMessage: "Which port? I cannot tell.\n<task-failed>t-1</task-failed>",
        },
        checks: [],
      },
      "the agent reported failure: Which port? I cannot tell",
    ],
    [
      "SIG-1: gives up without a word",
      {
        claims: says("<task-failed>t-1</task-failed>"),
        result: { ...facts({}).result, finalMessage: "<task-failed>t-1</task-failed>" },
        checks: [],
      },
      "the agent reported failure",
    ],
    [
      "SIG-1: asks and changes nothing",
      {
        result: {
          ...facts({}).result,
          finalMessage: "I read the code.\n\n**Which one?**\n\n1. Postgres\n2. SQLite\n",
        },
        work: work({ changed: false }),
        checks: [],
      },
      "the agent asks: **Which one?** 1. Postgres 2. SQLite (the agent claimed completion, but nothing in the project has changed, and no <no-change-needed> says why)",
    ],
    [
      "SIG-2: gives up and says why",
      {
        claims: says(
          "<task-failed>t-1</task-failed>\n<failure-report>\nwhat_tried: a\nwhy_failed: no network\n</failure-report>",
        ),
        checks: [],
      },
      "the agent reported failure: no network",
    ],
    [
      "LOOP-9: edited what it must not",
      { work: work({ forbidden: "it changed notes.md, which is yours" }), checks: [] },
      "it changed notes.md, which is yours",
    ],
    [
      "LOOP-18: strict",
      { guardWarnings: ["check.sh was changed: verification runs it", "b"] },
      "verification itself was changed: check.sh was changed: verification runs it, and 1 more",
    ],
    [
      "FAIL-2: crash",
      { result: failure("crash", "", { exitCode: 7 }) },
      "the agent ended with an error: crash (exit code 7)",
    ],
    [
      "FAIL-2: signal",
      { result: failure("killed", "", { exitCode: null, signal: "SIGKILL" }) },
      "the agent ended with an error: killed (SIGKILL)",
    ],
    [
      "FAIL-2: its own words",
      { result: failure("timeout", "no end after 30m 00s") },
      "the agent ended with an error: no end after 30m 00s",
    ],
  ])("%s", (_, changes, reason) => {
    expect(judge(facts(changes)).reason).toBe(reason);
  });
});

test("LOOP-4: a claim by the command line counts as a sigil does", () => {
  const silent = says("Bye.");
  expect(verdict({ claims: { ...silent, done: true } })).toBe("done/passed");
  expect(verdict({ claims: { ...silent, failed: true }, checks: [] })).toBe("failed/null");
});

test("LOOP-4: a done claim that changed only a person's files is not said to have changed nothing", () => {
  const only = work({ changedPaths: [], files: [], usersFiles: ["mine.txt"], changed: false });
  expect(judge(facts({ work: only, checks: [] }))).toMatchObject({
    verification: "no_change",
    reason: "the agent claimed completion, but only uncommitted files of yours have changed",
  });
});

describe("FAIL-2 LOOP-18: an attempt that fails for its changes to verification", () => {
  const message = "All done.\n> npm test\n# fail 0\n<task-done>t-1</task-done>";
  const refused = (guardWarnings: readonly string[]) => {
    const { result } = facts({});
    return judge(facts({ guardWarnings, result: { ...result, finalMessage: message } }));
  };

  test("has no error of the agent's message", () => {
    expect(refused(["a.json was changed: x"])).toMatchObject({
      reason: "verification itself was changed: a.json was changed: x",
      errorExcerpt: "",
    });
  });

  test("lists the changes that the reason only counts", () => {
    expect(refused(["a.json was changed: x", "b.json was changed: y"])).toMatchObject({
      reason: "verification itself was changed: a.json was changed: x, and 1 more",
      errorExcerpt: "a.json was changed: x\nb.json was changed: y",
    });
  });
});
