import { expect, test } from "vitest";
import { RalphError } from "../../src/base/errors.ts";
import { parseYaml } from "../../src/base/yaml.ts";

/** The default suite makes them a twentieth as long. */
const scale = process.env["RALPH_TEST_FUZZ"] === undefined ? 0.05 : 1;
const times = (text: string, count: number): string => text.repeat(count * scale);

const bomb = Array.from({ length: 30 }, (_, n) =>
  n === 0 ? "a0: &a0 [x, x]" : `a${n}: &a${n} [${`*a${n - 1}, `.repeat(10)}]`,
).join("\n");

const deep: Readonly<Record<string, string>> = {
  "aliases that multiply": bomb,
  "an alias of itself": "a: &a [*a]\n",
  "flow collections 100,000 deep": times("[", 100_000),
  "closed flow collections 100,000 deep": `${times("[", 100_000)}${times("]", 100_000)}`,
  "mappings 2000 deep": Array.from({ length: 2000 }, (_, n) => `${" ".repeat(n)}a:`).join("\n"),
  "lists 100,000 deep in one line": `${times("- ", 100_000)}a`,
  "keys 100,000 deep in one line": `${times("? ", 100_000)}a`,
  "a block scalar of 1 MB with indented blank lines": `a: |\n${times("  \n   x\n", 130_000)}`,
  "a quoted text of 1 MB over lines": `a: "${times("x\n", 500_000)}"`,
  "a plain text of 1 MB over lines": `a: ${times("x\n ", 350_000)}`,
  "one line of 1 MB": `a: ${times("x ", 500_000)}`,
  "a quote that never ends": `a: "${times("\\", 1_000_005)}`,
  "100,000 anchors": times("&a ", 100_000),
  "100,000 equal keys": times("a: 1\n", 100_000),
  "100,000 documents": times("---\n", 100_000),
  "100,000 comments": times("# a\n", 100_000),
  "100,000 merge keys": `a: &a {b: c}\nd:\n${times("  <<: *a\n", 100_000)}`,
};

test.each(Object.entries(deep))(
  "TRUST-12: YAML with %s is read, or refused with a hint, within seconds",
  (_, text) => {
    const before = process.cpuUsage();
    try {
      parseYaml(text, { file: "tasks.yaml" });
    } catch (error) {
      expect(error).toBeInstanceOf(RalphError);
      expect(error).toMatchObject({
        message: expect.stringContaining("tasks.yaml"),
        hint: expect.any(String),
      });
    }
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(10);
  },
);
