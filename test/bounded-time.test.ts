import { expect, test } from "vitest";
import { parsers } from "./fuzz/parsers.ts";
import { cost } from "./fuzz/search.ts";

/** Quadratic time takes a quarter of a second for so many characters, linear time far less than `maxMs`. */
const length = 12_500;
const maxMs = 100;
/** Of what took longer, the least of so many further times counts: Node compiles and collects meanwhile. */
const moreRounds = 2;
const repeated = (text: string): string => text.repeat(Math.ceil(length / text.length));

/** Texts on which a regular expression of one of the parsers took quadratic time, and others of that kind. */
const hostile: readonly string[] = [
  repeated(" "),
  repeated("\n"),
  repeated("\t\n"),
  repeated("a"),
  repeated("0"),
  repeated(":["),
  repeated("<learning>"),
  repeated("<learning \n"),
  repeated("```\n"),
  repeated("{{"),
  repeated("\u001b["),
  repeated("\u001b]"),
  repeated("a=b "),
  repeated("https://a:"),
  repeated("Summary ["),
  repeated("error: "),
  repeated("resets at 12:"),
  `Tests  ${repeated(" ")}a\nTests  (0)`,
  `Tests: 1 failed, ${repeated("1 passed, ")}x`,
  `ok ${repeated("a")} \n`,
  `ERROR: OPTION ${repeated(" ARGUMENT W")}\n`,
  `C: cannot execute ${repeated("\tC: cannot execute")}\u2028x`,
  `[-${repeated("-")}`,
  `a=b${repeated(" ")}c`,
  `a="${repeated("\\a")}x`,
  `kind: Secret\ndata:\n${repeated(`  a: x${" ".repeat(19_000)}"x\n`)}`,
  `diff --git a/${repeated(" b/")}\u2028`,
  `- [ ] ${repeated(" ")}\u2028x`,
  `hit your ${repeated("a ")}`,
  repeated("."),
  repeated("a."),
  repeated("a'"),
  repeated("1,000"),
  repeated("never a(b "),
  repeated("turn it "),
  repeated("never. "),
  `{${repeated(" {")}`,
  repeated("url: "),
  repeated("(code -1)"),
  `model ${repeated("a ")}`,
  repeated('error.error="'),
  repeated("Tool execution "),
  repeated("to from xing "),
];

test.each(Object.entries(parsers))(
  "TASK-5 SIG-7: %s: a hostile text of 12,500 characters is read in bounded time",
  async (_, parse) => {
    for (const text of hostile) {
      let least = await cost(parse, text);
      for (let round = 0; round < moreRounds && least >= maxMs; round += 1)
        least = Math.min(least, await cost(parse, text));
      expect([text.slice(0, 40), least < maxMs]).toEqual([text.slice(0, 40), true]);
    }
  },
  120_000,
);
