import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { RalphError } from "./errors.ts";
import { parseLongYaml, parseYaml, yamlBoolean, yamlInteger, yamlPosition } from "./yaml.ts";

const read = (text: string) => parseYaml(text, { file: "a.yaml" });

function errorOf(work: () => unknown): RalphError {
  try {
    work();
  } catch (error) {
    if (error instanceof RalphError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("values", () => {
  test("TASK-4: plain scalars stay the text that was written", () => {
    const ids = [
      "007",
      "1e3",
      "1.10",
      "0x1F",
      "0o7",
      "1_000",
      "+1",
      ".5",
      "2026-01-18",
      "yes",
      "true",
      "NaN",
      "<<",
    ];
    expect(read(ids.map((id) => `- ${id}\n`).join("")).value).toEqual(ids);
  });

  test("empty values, ~ and null are null; quoted or tagged ones are text", () => {
    expect(read('a:\nb: ~\nc: null\nd: "null"\ne: ""\nf: !!str null\n').value).toEqual({
      a: null,
      b: null,
      c: null,
      d: "null",
      e: "",
      f: "null",
    });
    expect(read("").value).toBeNull();
    expect(read("# only a comment\n").value).toBeNull();
  });

  test("block scalars, flow collections, CRLF and a byte order mark", () => {
    const text = "\uFEFFa: |\r\n  one\r\n  two\r\nb: [x, {y: z}]\r\n";
    expect(read(text).value).toEqual({ a: "one\ntwo\n", b: ["x", { y: "z" }] });
  });

  test("a key named __proto__ is a key like any other", () => {
    const value = read("__proto__: {polluted: yes}\n").value as Record<string, unknown>;
    expect(Object.keys(value)).toEqual(["__proto__"]);
    expect(value["polluted"]).toBeUndefined();
  });

  test("aliases give their anchor's value, the last one before them", () => {
    expect(read("a: &x [1]\nb: *x\nc: &x 2\nd: *x\n").value).toEqual({ a: ["1"], b: ["1"], c: "2", d: "2" });
  });

  test("booleans and whole numbers are read on request only", () => {
    expect(["true", "Yes", "on", "FALSE", "no", "off", "1", null].map(yamlBoolean)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
      undefined,
      undefined,
    ]);
    expect(["12", "-3", "007", "1.0", "1e3", "", null].map(yamlInteger)).toEqual([
      12,
      -3,
      7,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("whatever text is written as YAML is read back", () => {
    const key = fc.string({ minLength: 1, maxLength: 8 }).filter((text) => text !== "__proto__");
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof({ maxDepth: 4 }, fc.string(), fc.array(tie("tree")), fc.dictionary(key, tie("tree"))),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        const text = stringify(value, { defaultStringType: "QUOTE_DOUBLE", defaultKeyType: "QUOTE_DOUBLE" });
        expect(read(text).value).toEqual(value);
      }),
      { numRuns: 60 },
    );
  });
});

describe("places", () => {
  test("offsets, lines and keys of values", () => {
    const text = "a: 1\nlist:\n  - id: x # why\n    done: false\n  - {id: y}\n";
    const yaml = read(text);
    const slice = (place: { start: number; end: number } | undefined) =>
      place && text.slice(place.start, place.end);
    expect(slice(yaml.place(["list", 0, "done"]))).toBe("false");
    expect(slice(yaml.place(["list", 0, "id"]))).toBe("x");
    expect(slice(yaml.place(["list", 0, "id"])?.key)).toBe("id");
    expect(yaml.place(["list", 0, "done"])).toMatchObject({ line: 4, column: 11 });
    expect(yaml.place(["list", 0])?.flow).toBe(false);
    expect(yaml.place(["list", 1])?.flow).toBe(true);
    expect(yaml.place(["list", 2])).toBeUndefined();
    expect(yamlPosition(yaml, ["list", 1, "missing"])).toBe("a.yaml:5:5");
  });

  test("offsets count a byte order mark and both bytes of CRLF", () => {
    const text = "\uFEFFa: 1\r\nb: two\r\n";
    const place = read(text).place(["b"]);
    expect(text.slice(place?.start, place?.end)).toBe("two");
    expect(place).toMatchObject({ line: 2, column: 4 });
    expect(read(text).place(["a"])).toMatchObject({ line: 1, column: 4 });
  });
});

describe("errors say file, line, column, why and a hint", () => {
  test.each([
    ["a: 1\na: 2\n", "a.yaml:2:1", 'duplicate key "a"'],
    ["a:\n  - x\n b: 1\n", "a.yaml:3:", ""],
    ["a: [1, 2\nb: 3\n", "a.yaml:2:1", ""],
    ["a:\n\t- x\n", "a.yaml:2:1", "Tabs"],
    ["title: Fix: the bug\n", "a.yaml:1:8", ""],
    ["a: *nowhere\n", "a.yaml:1:4", "nowhere"],
    ["a: 1\n---\nb: 2\n", "a.yaml:2:1", "a second document"],
    ["? [a]\n: 1\n", "a.yaml:1:3", "a key must be plain text"],
    ['a: "open\n', "a.yaml:", "quote"],
  ])("%j", (text, where, why) => {
    const error = errorOf(() => read(text));
    expect(error.code).toBe("RALPH_YAML_INVALID");
    expect(error.message).toContain(where);
    expect(error.message).toContain(why);
    expect(error.message).not.toContain("\n");
    expect(error.hint).toBeTruthy();
  });
});

describe("hostile input ends in an error, soon", () => {
  test("more bytes than allowed", () => {
    expect(errorOf(() => parseYaml("a: äöü\n", { file: "a.yaml", maxBytes: 8 })).code).toBe(
      "RALPH_FILE_TOO_LARGE",
    );
    expect(parseYaml("a: äöü\n", { file: "a.yaml", maxBytes: 10 }).value).toEqual({ a: "äöü" });
    expect(errorOf(() => read("#".repeat(10 * 1024 * 1024 + 1))).code).toBe("RALPH_FILE_TOO_LARGE");
  });

  const many = 20_000;
  test.each([
    ["brackets", "[".repeat(many)],
    ["braces", "{a: ".repeat(many)],
    ["dashes on a line", "- ".repeat(many)],
    ["question marks", "? ".repeat(many)],
    ["colons", ": ".repeat(many)],
    ["mixed indicators", "- ? : ".repeat(many)],
    ["indented keys", Array.from({ length: 1500 }, (_, i) => `${" ".repeat(i)}k:\n`).join("")],
    ["indented dashes", Array.from({ length: 1500 }, (_, i) => `${" ".repeat(i)}-\n`).join("")],
    ["tagged brackets", "!t [".repeat(many)],
    ["anchored dashes", Array.from({ length: 200 }, (_, i) => `${" ".repeat(i)}- &a${i}\n`).join("")],
    ["brackets below keys", `${"a: [".repeat(1000)}`],
  ])("deep nesting: %s", (_name, text) => {
    const error = errorOf(() => read(text));
    expect(error.code).toBe("RALPH_YAML_INVALID");
    expect(error.message).toContain("nested too deep");
  });

  test("an alias bomb", () => {
    const levels = Array.from({ length: 9 }, (_, i) => `l${i + 1}: &l${i + 1} [${`*l${i},`.repeat(10)}]\n`);
    const error = errorOf(() => read(`l0: &l0 lol\n${levels.join("")}`));
    expect(error.message).toContain("its aliases multiply");
  });

  test("a fault in every other character", () => {
    const before = process.cpuUsage();
    for (const text of [`"${"\\q".repeat(50_000)}"`, '"'.repeat(100_000)])
      expect(errorOf(() => read(text)).code).toBe("RALPH_YAML_INVALID");
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(1000);
    expect(new Error("x").stack).toContain("yaml.test");
  });

  test.each([
    ["values", `[${"{},".repeat(710_000)}]`, "a.yaml:1:700000"],
    ["lines", "\n".repeat(710_000), "a.yaml:700001:1"],
  ])("TRUST-12: a text with very many %s is refused where its reading would take too long", (_, text, at) => {
    expect(errorOf(() => read(text))).toMatchObject({
      code: "RALPH_FILE_TOO_LARGE",
      message: `${at}: too many values`,
      hint: "Split the file.",
    });
  });

  test("TRUST-12: a timer has its turn while a long text is read, with the same answer", async () => {
    const text = `tasks:\n${"  - id: a\n".repeat(20_000)}`;
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const { value } = await parseLongYaml(text, { file: "a.yaml" });
    clearInterval(timer);
    expect(turns).toBeGreaterThan(3);
    expect(value).toEqual(read(text).value);
  });

  test("a list that holds itself", () => {
    expect(errorOf(() => read("a: &a [*a]\n")).code).toBe("RALPH_YAML_INVALID");
  });

  test("brackets and dashes in text are no nesting", () => {
    const script = Array.from({ length: 300 }, () => "  {[ ((- - - [[\n").join("");
    expect(read(`a: |\n${script}b: "${"[".repeat(300)}"\nc: x ${"{ ".repeat(300)}\n`).value).toHaveProperty(
      "c",
    );
  });

  test("64 levels are read, 65 are not", () => {
    const nested = (levels: number) => `${"[".repeat(levels - 1)}x${"]".repeat(levels - 1)}`;
    expect(read(nested(64)).value).toBeTruthy();
    expect(errorOf(() => read(nested(66))).message).toContain("nested too deep");
    const block = (levels: number) =>
      Array.from({ length: levels }, (_, i) => `${" ".repeat(i)}k:\n`).join("");
    expect(read(block(63)).value).toBeTruthy();
    expect(errorOf(() => read(block(65))).message).toContain("nested too deep");
  });
});
