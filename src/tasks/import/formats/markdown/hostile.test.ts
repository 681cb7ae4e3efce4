import { expect, test } from "vitest";
import { variants } from "../../../../../test/test-size.ts";
import { markdown } from "../markdown.ts";

const path = "TODO.md";

/** Lines of 100,000 characters and lists of as many lines that cost a Markdown parser the square of their length. */
const hostile: readonly (readonly [string, string])[] = [
  ...["*a_ ", "[", "`a``", "![[](", "<!--", "__a**", "&amp;", "1.", "\\[", "a ", "<a b='"].map(
    (part): readonly [string, string] => [part, `- [ ] ${part.repeat(100_000 / part.length)}z`],
  ),
  ...["`", "- ", "* ", "#", "> a\n", "-\n", "[a]: b\n=\n", " ", "<a b=c "].map(
    (part): readonly [string, string] => [part, `${part.repeat(100_000 / part.length)}x\n\n# y\n- [ ] last`],
  ),
  ["a number that never ends", `## 1${".1".repeat(1_000_000)} x\n\n- [ ] last`],
  [
    "nested to the limit",
    Array.from({ length: 2000 }, (_, n) => `${"  ".repeat(n % 95)}- [ ] ${n}\n`).join(""),
  ],
];

test.each(variants(hostile, 11))(
  "TASK-5: a list that repeats %j is read and ticked in bounded time",
  (_, text) => {
    const before = process.cpuUsage();
    try {
      const task = markdown.parse({ path, text }).tasks.at(-1);
      expect(markdown.mark({ path, text }, new Map([[task?.key ?? "", true]]))?.includes("- [x] ")).toBe(
        true,
      );
    } catch (error) {
      expect(error).toMatchObject({ code: expect.stringMatching(/^RALPH_IMPORT_(INVALID|EMPTY)$/) });
    }
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(1000);
  },
);
