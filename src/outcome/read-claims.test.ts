import { describe, expect, test } from "vitest";
import { readClaims } from "./read-claims.ts";

const done = "<task-done>t-1</task-done>";
const claims = (text: string) => readClaims(text, "t-1");
const verdict = (text: string) => {
  const { done, failed } = claims(text);
  return failed ? "failed" : done ? "done" : "nothing";
};

describe("done and failed", () => {
  test.each([
    ["SIG-1: its own id", "Tests pass.\n<task-done>t-1</task-done>", "done"],
    ["SIG-1: blanks around the id", "<task-done>\n  t-1 \n</task-done>", "done"],
    ["SIG-1: a promise counts as the task's done", "<promise>COMPLETE</promise>", "done"],
    ["SIG-1: another promise", "<promise>FAILED: no key</promise>", "nothing"],
    [
      "SIG-1: a promise in other words",
      "<promise>COMPLETED</promise>\n<promise>complete</promise>",
      "nothing",
    ],
    ["SIG-1: failed", "<task-failed>t-1</task-failed>", "failed"],
    ["SIG-1: done and failed", "<task-done>t-1</task-done>\n<task-failed>t-1</task-failed>", "failed"],
    ["SIG-7: another task's id", "<task-done>t-12</task-done>", "nothing"],
    ["SIG-7: another case of the id", "<task-done>T-1</task-done>", "nothing"],
    ["SIG-7: the id and more", "<task-done>t-1 and t-2</task-done>", "nothing"],
    ["SIG-7: empty", "<task-done></task-done>\n<task-done/>", "nothing"],
    [
      "SIG-7: another task failed, this one is done",
      "<task-failed>t-2</task-failed>\n<task-done>t-1</task-done>",
      "done",
    ],
    ["SIG-7: the second one is valid", "<task-done>t-2</task-done>\n<task-done>t-1</task-done>", "done"],
    ["SIG-7: an echo of the prompt's placeholder", "<task-done>TASK-ID</task-done>", "nothing"],
    ["SIG-7: an echo of the prompt's example", "End with:\n```\n<task-done>t-1</task-done>\n```", "nothing"],
    ["SIG-10: a mention", "I will print <promise>COMPLETE</promise> when done", "nothing"],
    [
      "SIG-10: a mention with the id",
      "I would print `<task-done>t-1</task-done>`, but tests fail.",
      "nothing",
    ],
    ["SIG-10: words after the done sigil", `${done}\nWait, I have not run the tests.`, "nothing"],
    ["SIG-10: a mention, then words", `${done}\n\nThat is what I would print.`, "nothing"],
    ["SIG-10: a promise with words after it", "<promise>COMPLETE</promise>\nOr almost.", "nothing"],
    ["SIG-10: another sigil after it", `${done}\n<next-model>opus</next-model>`, "nothing"],
    ["SIG-10: code after it", `${done}\n\`\`\`\nnpm test\n\`\`\``, "nothing"],
    ["SIG-10: another task's done after it", `${done}\n<task-done>t-2</task-done>`, "nothing"],
    ["SIG-10: said again at the end", `${done}\nNow I ran the tests.\n${done}`, "done"],
    ["SIG-10: blank lines after it", `Fine.\r\n${done} \t\r\n\r\n   \n`, "done"],
    ["SIG-10: a line end after it", `Fine.\n${done}\n`, "done"],
    ["SIG-10: other sigils before it", `<note type="tip">\na\n</note>\n${done}`, "done"],
    ["SIG-10: another sigil on its line", `${done} <next-model>opus</next-model>`, "done"],
    ["SIG-10: failed need not be last", "<task-failed>t-1</task-failed>\nSorry.", "failed"],
    ["SIG-8: no sigil at all", "Everything is done.", "nothing"],
    ["SIG-8: no message", "", "nothing"],
  ])("%s", (_, text, expected) => {
    expect(verdict(text)).toBe(expected);
  });
});

const ignored = "the agent's done sigil does not count: ";

test.each<[string, string, string | null]>([
  ["a done sigil that counts", done, null],
  ["a failed sigil that counts", "<task-failed>t-1</task-failed>\n<task-done>t-9</task-done>", null],
  ["none at all", "Bye.", null],
  ["words after it", `${done}\nWait.`, `${ignored}it is not the last line of the final message`],
  ["another task's id", "<task-done>t-9</task-done>", `${ignored}it names "t-9", not "t-1"`],
  ["the other task's is last", `${done}\n<task-done>t-9</task-done>`, `${ignored}it names "t-9", not "t-1"`],
  [
    "another task's id in a failed sigil",
    "<task-failed>t-9</task-failed>\nSorry.",
    'the agent\'s failed sigil does not count: it names "t-9", not "t-1"',
  ],
  [
    "a hostile id",
    `<task-done>${"x\n\u001b[31m".repeat(50)}</task-done>`,
    expect.stringMatching(/: it names "[x ]{59}…"/),
  ],
])("SIG-10: why a sigil does not count: %s", (_, text, why) => {
  expect(claims(text).ignoredSigil).toEqual(why);
});

test("SIG-8: a message without sigils claims nothing at all", () => {
  expect(claims("Bye.")).toEqual({
    done: false,
    ignoredSigil: null,
    failed: false,
    noChangeNeeded: null,
    nextModel: null,
    difficulty: null,
    report: null,
    retrySuggestion: null,
    memory: { learnings: [], notes: [], verdicts: [], subtasks: null, missingContext: [], wishedSkills: [] },
  });
});

describe("single sigils", () => {
  test.each([
    ["opus", "opus"],
    [" claude-sonnet-4-5 ", "claude-sonnet-4-5"],
    ["anthropic/claude:4.5", "anthropic/claude:4.5"],
    ["--dangerously-skip-permissions", null],
    ["opus; rm -rf /", null],
    ["../../etc", null],
    ["", null],
    [`a${"b".repeat(63)}`, `a${"b".repeat(63)}`],
    [`a${"b".repeat(64)}`, null],
  ])("SIG-1: <next-model>%s", (name, expected) => {
    expect(claims(`<next-model>${name}</next-model>`).nextModel).toBe(expected);
  });

  test.each([
    ["trivial", "trivial"],
    ["easy", "easy"],
    ["moderate", "moderate"],
    ["\nhard\n", "hard"],
    ["blocked", "blocked"],
    ["Hard", null],
    ["impossible", null],
  ])("SIG-4: <difficulty-estimate>%s", (text, expected) => {
    expect(claims(`<difficulty-estimate>${text}</difficulty-estimate>`).difficulty).toBe(expected);
  });

  test("SIG-5: the retry suggestion is kept whole", () => {
    expect(
      claims("<retry-suggestion>\nMock the clock.\nThen run it twice.\n</retry-suggestion>").retrySuggestion,
    ).toBe("Mock the clock.\nThen run it twice.");
  });

  test("SIG-7: the first valid occurrence wins", () => {
    const text = [
      "<next-model>rm -rf</next-model>",
      "<next-model>opus</next-model>",
      "<next-model>haiku</next-model>",
      "<difficulty-estimate>huge</difficulty-estimate>",
      "<difficulty-estimate>hard</difficulty-estimate>",
      "<difficulty-estimate>easy</difficulty-estimate>",
      "<retry-suggestion> </retry-suggestion>",
      "<retry-suggestion>first</retry-suggestion>",
      "<retry-suggestion>second</retry-suggestion>",
      "<failure-report>what_tried: x</failure-report>",
      "<failure-report>\nwhat_tried: a\nwhy_failed: b\n</failure-report>",
      "<failure-report>\nwhat_tried: c\nwhy_failed: d\n</failure-report>",
    ].join("\n");
    const { nextModel, difficulty, retrySuggestion, report } = claims(text);
    expect([nextModel, difficulty, retrySuggestion, report?.whatTried]).toEqual([
      "opus",
      "hard",
      "first",
      "a",
    ]);
  });

  test("what is stored of a message holds neither NUL nor half a character", () => {
    expect(claims("<retry-suggestion>a\0b\ud800</retry-suggestion>").retrySuggestion).toBe("ab\ufffd");
  });
});

describe("SIG-2: the failure report", () => {
  const report = (body: string) => claims(`<failure-report>\n${body}\n</failure-report>`).report;

  test("every key, the stack trace over several lines", () => {
    const body = [
      "  what_tried: Parsed the date: by hand",
      "stack_trace: RangeError: Invalid time value",
      "    at parse (src/date.ts:3:9)",
      "",
      "    note: see above",
      "why_failed : zones differ ",
      "colour: red",
      "relevant_files: src/date.ts, test/date.test.ts,, src/date.ts",
      "error_category: logic_error",
    ].join("\r\n");
    expect(report(body)).toEqual({
      whatTried: "Parsed the date: by hand",
      whyFailed: "zones differ",
      errorCategory: "logic_error",
      relevantFiles: ["src/date.ts", "test/date.test.ts"],
      stackTrace: "RangeError: Invalid time value\n    at parse (src/date.ts:3:9)\n\n    note: see above",
    });
  });

  test("defaults", () => {
    expect(report("what_tried: a\nwhy_failed: b")).toEqual({
      whatTried: "a",
      whyFailed: "b",
      errorCategory: "unknown",
      relevantFiles: [],
      stackTrace: "",
    });
  });

  test.each([
    ["empty", ""],
    ["without what_tried", "why_failed: b"],
    ["without why_failed", "what_tried: a"],
    ["with an empty why_failed", "what_tried: a\nwhy_failed:  "],
    ["in one line", "what_tried: a why_failed: b"],
    ["in prose", "I tried a and it failed because of b"],
  ])("%s there is none", (_, body) => {
    expect(report(body)).toBeNull();
  });

  test("only the stack trace goes on over lines", () => {
    expect(report("what_tried: a\nand more\nwhy_failed: b\nand more")).toMatchObject({
      whatTried: "a",
      whyFailed: "b",
    });
  });

  test("500 characters of the stack trace are kept, never half a character", () => {
    const trace = report(`what_tried: a\nwhy_failed: b\nstack_trace: ${"x".repeat(499)}😀`)?.stackTrace;
    expect(trace).toBe("x".repeat(499));
  });

  test("each key's first value counts", () => {
    expect(report("what_tried:\nwhat_tried: a\nwhat_tried: c\nwhy_failed: b")?.whatTried).toBe("a");
  });
});

describe("sigils for memory", () => {
  const { memory } = claims(`
<learning category="pitfall" tags="vitest, fake timers , vitest">
Advance timers before awaiting.
</learning>
<learning category="my_own" tags="a" topic="testing">kept as it is</learning>
<learning category="other" tags="">no tags</learning>
<learning tags="a">no category</learning>
<learning category=" " tags="a">blank category</learning>
<learning category="pitfall">tags missing</learning>
<learning category="pitfall" tags="a">  </learning>
<note type="stuck">No database here</note>
<note type="idea">unknown type</note>
<note>no type</note>
<note type="tip"></note>
<note type="decision">Use UTC.</note>
<memory-used id="l-1" verdict="helpful"/>
<memory-used id="l-2" verdict="harmful"></memory-used>
<memory-used id="l-1" verdict="harmful"/>
<memory-used id="l-3" verdict="so-so"/>
<memory-used verdict="helpful"/>
<missing-context>How is the API deployed?</missing-context>
<missing-context> </missing-context>
<wished-skill>reading flame graphs</wished-skill>
<wished-skill>writing migrations</wished-skill>
<subtasks>just words</subtasks>
<subtasks>

  - [ ] Parse
    - [ ] Numbers
  - [x] Print
</subtasks>
`);

  test("SIG-3: learnings with category, tags and topic; a missing category is other", () => {
    expect(memory.learnings).toEqual([
      {
        category: "pitfall",
        tags: ["vitest", "fake timers"],
        topic: "vitest",
        text: "Advance timers before awaiting.",
      },
      { category: "my_own", tags: ["a"], topic: "testing", text: "kept as it is" },
      { category: "other", tags: [], topic: null, text: "no tags" },
      { category: "other", tags: ["a"], topic: "a", text: "no category" },
      { category: "other", tags: ["a"], topic: "a", text: "blank category" },
      { category: "pitfall", tags: [], topic: null, text: "tags missing" },
    ]);
  });

  test("SIG-6: notes, verdicts, subtasks, what was missing", () => {
    expect(memory.notes).toEqual([
      { type: "stuck", text: "No database here" },
      { type: "decision", text: "Use UTC." },
    ]);
    expect(memory.verdicts).toEqual([
      { id: "l-1", helpful: true },
      { id: "l-2", helpful: false },
    ]);
    expect(memory.subtasks).toBe("  - [ ] Parse\n    - [ ] Numbers\n  - [x] Print");
    expect(memory.missingContext).toEqual(["How is the API deployed?"]);
    expect(memory.wishedSkills).toEqual(["reading flame graphs", "writing migrations"]);
  });
});

test("TRUST-1: a secret is no name of a model", () => {
  const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
  expect(readClaims(`<next-model>${secret}</next-model>`, "t-1").nextModel).toBeNull();
});
