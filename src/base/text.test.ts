import { expect, test } from "vitest";
import { safe } from "./safe-text.ts";
import { cells, clip, firstChars, wrapLine } from "./text.ts";

test("UX-2: a line is wrapped at words, with its own indentation and a hanging one", () => {
  const text = safe`  one two three four five six seven eight nine`;
  expect(wrapLine(text, 26, 2)).toEqual(["  one two three four five", "    six seven eight nine"]);
  expect(wrapLine(safe`short`, 12)).toEqual(["short"]);
  expect(wrapLine(safe``, 12)).toEqual([""]);
});

test("UX-2: styles take no cells, wide characters take two, long words are broken", () => {
  expect(cells("\u001b[31mred\u001b[0m")).toBe(3);
  expect(cells("日本e\u0301")).toBe(5);
  expect(wrapLine(safe`a 123456789012345`, 10)).toEqual(["a", "1234567890", "12345"]);
  const text = safe`日本語 日本語日本語日本語`;
  for (const line of wrapLine(text, 10)) expect(cells(line)).toBeLessThanOrEqual(10);
  expect(wrapLine(text, 10).join("").replaceAll(" ", "")).toBe("日本語日本語日本語日本語");
});

test("a cut is between characters: no half of a pair, no letter without its mark, no part of a joined emoji", () => {
  expect(firstChars("abc", 5)).toBe("abc");
  expect(firstChars("ab😀", 3)).toBe("ab");
  expect(firstChars("abe\u0301f", 3)).toBe("ab");
  expect(firstChars("a👩\u200d👧b", 3)).toBe("a");
  expect(firstChars("a👩\u200d👧b", 6)).toBe("a👩\u200d👧");
  expect(clip(`${"a".repeat(278)}😀 more`, 280)).toBe(`${"a".repeat(278)}…`);
});
