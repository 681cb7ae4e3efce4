import { describe, expect, test } from "vitest";
import { variants } from "../../../test/test-size.ts";
import { warningsOfChange } from "../../../test/warnings-of-change.ts";

describe("TRUST-12: worst texts are compared in linear time", () => {
  const names = "ts py rs go groovy java kt cs swift php scala cpp dart lua t rb exs sh bats".split(" ");
  const parts = [
    ...[
      "/*",
      "`",
      '"',
      "'",
      '"""',
      "/[",
      "=/[[",
      "\\",
      "[",
      "--[[",
      "//",
      "( / ",
      "#if 0\n",
      "=pod\n",
      "'''\\",
    ],
    ...[
      "@Test",
      "TEST_CASE(",
      "TEST_CASE",
      " ",
      "skip",
      "skip : ",
      "import ",
      "import {",
      "test(\n",
      "test({\n ",
      "test({skip ",
      "[Skip ",
      ", ",
      "assert",
      "assert ",
    ],
    ...[
      "function ",
      "void test(",
      "#[cfg_attr(ignore",
      "a::",
      "#[",
      "def ",
      'def "',
      "@Test(",
      "is ",
      "[.",
      " == ",
    ],
  ];
  test.each(variants(names, 7))("a_test.%s", (name) => {
    const path = `tests/a_test.${name}`;
    for (const part of parts) {
      const long = part.repeat(100_000 / part.length);
      const lines = Array.from({ length: 20 }, () => part.repeat(1990 / part.length));
      const start = performance.now();
      warningsOfChange(path, ["a"], [long]);
      warningsOfChange(path, lines, [...lines, ""]);
      expect(performance.now() - start, part).toBeLessThan(3000);
    }
  });
});
