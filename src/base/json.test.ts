import { expect, test } from "vitest";
import { parseJson } from "./json.ts";

const nested = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;

test("a text that is nested too deep to be written again is not JSON", () => {
  expect(parseJson(nested(500))).toBeInstanceOf(Array);
  expect(parseJson(nested(501))).toBeUndefined();
  expect(parseJson(`{"jest":${nested(200_000)}}`)).toBeUndefined();
  expect(parseJson(`${'{"a":'.repeat(501)}1${"}".repeat(501)}`)).toBeUndefined();
});

test("brackets in strings are no levels", () => {
  const value = ["[".repeat(600), '\\"[[', "\\", { a: '"'.repeat(5) + "[".repeat(600) }];
  expect(parseJson(JSON.stringify(value))).toEqual(value);
  expect(parseJson(`["\\\\",${nested(501)}]`)).toBeUndefined();
  expect(parseJson(`"${"[".repeat(600)}`)).toBeUndefined();
});

test("many lists beside each other are not deep", () => {
  expect(parseJson(`[${"[],".repeat(100_000)}[]]`)).toHaveLength(100_001);
});
