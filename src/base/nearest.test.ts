import { expect, test } from "vitest";
import { nearest } from "./nearest.ts";

test("finds the candidate with the fewest edits", () => {
  expect(nearest("lsit", ["add", "list", "last"])).toBe("list");
  expect(nearest("t-3fa9c0", ["t-000000", "t-3fa9c1", "t-3fb9c1"])).toBe("t-3fa9c1");
  expect(nearest("MAXITERATION", ["maxAttempts", "maxIterations"])).toBe("maxIterations");
});

test("the first of equals wins, an equal but for case wins over all", () => {
  expect(nearest("cat", ["bat", "hat"])).toBe("bat");
  expect(nearest("Cat", ["bat", "cat"])).toBe("cat");
});

test("the only candidate with this beginning comes before a far one", () => {
  const flags = ["--quiet", "--budget-usd", "--max-iterations", "--max-minutes"];
  expect(nearest("--budget", flags)).toBe("--budget-usd");
  expect(nearest("--max", ["--max-minutes", "--max-iterations"])).toBeUndefined();
  expect(nearest("--quie", flags)).toBe("--quiet");
  expect(nearest("lis", ["listen"])).toBeUndefined();
});

test("says nothing when nothing is near", () => {
  expect(nearest("zebra", ["list", "add"])).toBeUndefined();
  expect(nearest("a", [])).toBeUndefined();
  expect(nearest("", ["list"])).toBeUndefined();
});

test("TRUST-12: no word is looked for that nobody can have mistyped", () => {
  expect(nearest("x".repeat(300_000), ["y".repeat(300_000)])).toBeUndefined();
});
