import fc from "fast-check";
import { expect, test } from "vitest";
import { stripControls } from "../../trust/terminal.ts";
import { jsonLine } from "./json-line.ts";

test("TRUST-7: JSON on a terminal carries no control characters, and reads back as it was", () => {
  for (const title of [
    "\u009b31mred",
    "\u001b]0;x\u0007",
    "\u202egnp.exe",
    "\u{e0041}tag",
    "a\u2028b",
    "\u200d",
  ]) {
    const line = jsonLine({ title });
    expect(stripControls(line)).toBe(line);
    expect(JSON.parse(line)).toEqual({ title });
  }
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(JSON.parse(jsonLine([text]))).toEqual([text]);
    }),
  );
});
