import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyText } from "../../test/any-text.ts";
import { stripControls } from "./strip-controls.ts";

describe("TRUST-7: what reaches the screen", () => {
  test.each([
    ["plain text\twith\nlines", "plain text\twith\nlines"],
    ["\u001b[31mred\u001b[0m", "red"],
    ["\u001b[38;2;1;2;3mx\u001b[?25l\u001b[2J", "x"],
    ["a\u001b]0;title\u0007b", "ab"],
    ["a\u001b]8;;https://evil\u001b\\link\u001b]8;;\u001b\\b", "alinkb"],
    ["a\u001b]52;c;ZXZpbA==\u0007b", "ab"],
    ["a\u001b]0;never ended\nnext line", "a\nnext line"],
    ["a\u001bP1$r0m\u001b\\b", "ab"],
    ["a\u001b_apc\u001b\\\u001b^pm\u001b\\\u001bXsos\u001b\\b", "ab"],
    ["a\u009b31mb\u009d0;t\u009cc\u0090q\u009cd\u0085e", "abcde"],
    ["a\u001b(Bb\u001b#8c\u001bMd\u001bce", "abcde"],
    ["a\u001b", "a"],
    ["a\u001b[", "a"],
    ["a\u001b[31", "a"],
    ["a\u001b[31\u0001mb", "amb"],
    ["safe\rEVIL", "safe\nEVIL"],
    ["windows\r\nline", "windows\nline"],
    ["a\bb\u0007c\u0000d\u007fe", "abcde"],
    ["a\u000bb\fc\u2028d\u2029e", "a\nb\nc\nd\ne"],
    ["user\u202etxt.exe\u202c \u2066x\u2069 \u200fy", "usertxt.exe x y"],
    ["pay\u200bpal\ufeff\u2060\u00ad", "paypal"],
    ["\u{e0041}\u{e0042}hidden\u{e007f}\u{e0100}", "hidden"],
    ["a\u200db\u200cc\ufe0fd", "abcd"],
    ["\ud800lone", "\ufffdlone"],
  ])("TRUST-7: %j", (text, expected) => expect(stripControls(text)).toBe(expected));

  test.each(["é ñ 中文 العربية ไทย", "👩‍👩‍👧‍👦 ❤️ 1️⃣ 🏳️‍🌈", "می‌خواهم", "क्‍ष"])(
    "TRUST-7: %s stays as it is",
    (text) => {
      expect(stripControls(text)).toBe(text);
    },
  );

  test("TRUST-7: no control character comes through, and stripping twice is stripping once", () => {
    const piece = fc.oneof(
      anyText(),
      fc.constantFrom(
        "\u001b",
        "\u001b[",
        "\u001b]",
        "\u009b",
        "\u0090",
        "\u0007",
        "\\",
        "\r",
        "\n",
        "31m",
        "\u202e",
        "\u200d",
        "\ufe0f",
      ),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const out = stripControls(pieces.join(""));
        expect(out).not.toMatch(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/u);
        expect(stripControls(out)).toBe(out);
      }),
      { numRuns: 1000 },
    );
  });

  test("TRUST-7: time grows with the length", () => {
    for (const unit of ["\u001b", "\u001b[1;", "\u001b]0;", "\u009d", "é", "\u200d"]) {
      const begin = performance.now();
      stripControls(unit.repeat(300_000));
      expect(performance.now() - begin, JSON.stringify(unit)).toBeLessThan(3000);
    }
  });
});
