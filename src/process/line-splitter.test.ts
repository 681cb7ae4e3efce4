import fc from "fast-check";
import { expect, test } from "vitest";
import { type Line, lineSplitter } from "./line-splitter.ts";

function split(chunks: readonly Buffer[], maxLineBytes = 1000): readonly Line[] {
  const lines: Line[] = [];
  const splitter = lineSplitter({ maxLineBytes, onLine: (line) => lines.push(line) });
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return lines;
}
const texts = (lines: readonly Line[]): readonly string[] => lines.map(({ text }) => text);

test("lines end at \\n alone, with or without \\r, and the last one may be open", () => {
  const bytes = Buffer.from("one\r\ntwo\u2028still two\n\nfour\ropen");
  expect(texts(split([bytes]))).toEqual(["one", "two\u2028still two", "", "four\ropen"]);
  expect(split([])).toEqual([]);
});

test("where the chunks are cut makes no difference, not even inside a character", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "\n", "\r", "é", "😀", "\u2028") });
  fc.assert(
    fc.property(text, fc.array(fc.integer({ min: 1, max: 7 })), (whole, sizes) => {
      const bytes = Buffer.from(whole);
      const chunks: Buffer[] = [];
      let at = 0;
      for (const size of sizes) {
        chunks.push(bytes.subarray(at, at + size));
        at += size;
      }
      chunks.push(bytes.subarray(at));
      expect(split(chunks)).toEqual(split([bytes]));
    }),
  );
});

test("a longer line is cut, says how long it was, and leaves the next one whole", () => {
  const long = Buffer.from("x".repeat(25));
  const lines = split([long, long, Buffer.from("\nnext\n")], 10);
  expect(lines).toEqual([
    { text: `${"x".repeat(10)} […truncated, 50 bytes in all]`, truncated: true },
    { text: "next", truncated: false },
  ]);
  expect(split([Buffer.from("0123456789\n")], 10)).toEqual([{ text: "0123456789", truncated: false }]);
});

test("bytes that are no UTF-8 do not spread beyond their line", () => {
  expect(texts(split([Buffer.from([0xff, 0x0a, 0x61, 0x0a, 0xe2])]))).toEqual(["\ufffd", "a", "\ufffd"]);
});
