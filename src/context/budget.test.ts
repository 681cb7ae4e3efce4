import fc from "fast-check";
import { expect, test } from "vitest";
import { type SafeText, safe } from "../base/safe-text.ts";
import type { MemoryItem, Recalled } from "../memory/port/memory-kind.ts";
import { storedText } from "../trust/stored-text.ts";
import { isMemorySection, packMemory } from "./budget.ts";

function item(id: string, chars: number, short = `- ${id} in short`): MemoryItem {
  const text = `- ${id} `.padEnd(chars, "x");
  return { id, text: storedText(text), short: storedText(short), score: 1, reason: "test" };
}

function section(name: string, items: readonly MemoryItem[], changes: Partial<Recalled> = {}): Recalled {
  return {
    section: name,
    heading: storedText(`### ${name}`),
    lead: safe``,
    items,
    tail: safe``,
    drop: "last",
    ...changes,
  };
}

const pack = (recalled: readonly Recalled[], chars = 5000, sections: Readonly<Record<string, number>> = {}) =>
  packMemory(recalled, { chars, sections }, "seed-1");

const attempts = (items: readonly MemoryItem[], changes: Partial<Recalled> = {}): Recalled =>
  section("attempts", items, {
    lead: safe`Tried before.`,
    tail: safe`**Suggestion:**\n> try`,
    drop: "oldest",
    ...changes,
  });

test("PROMPT-2: what fits is shown whole, in the order of recall", () => {
  const packed = pack([attempts([item("a", 100), item("b", 100)])]).get("attempts");
  const [a, b] = [item("a", 100).text, item("b", 100).text];
  expect(packed?.text).toBe(`### attempts\n\nTried before.\n\n${a}\n${b}\n\n**Suggestion:**\n> try`);
  expect(packed?.dropped).toEqual([]);
});

test("FAIL-4: with little room, the latest is whole and the older ones have one line each", () => {
  const packed = pack([attempts([item("a", 1500), item("b", 1500), item("c", 1500)])]).get("attempts");
  expect(packed?.text.length).toBeLessThanOrEqual(3000);
  expect(packed?.text).toContain(`- a in short\n- b in short\n${item("c", 1500).text}\n\n**Suggestion:**`);
  expect(packed?.items.map(({ id, reason }) => [id, reason])).toEqual([
    ["a", "test; in one line for lack of room"],
    ["b", "test; in one line for lack of room"],
    ["c", "test"],
  ]);
});

test("FAIL-4: the first earlier attempt that does not fit is cut to the room that is left", () => {
  const fit = (room: number): SafeText => storedText("- b ".padEnd(room, "y"));
  const packed = pack([attempts([item("a", 900), { ...item("b", 2900), fit }, item("c", 600)])]).get(
    "attempts",
  );
  expect(packed?.text).toContain("- a in short\n- b yyy");
  expect(packed?.text).toContain(item("c", 600).text);
  expect(packed?.text.length).toBeGreaterThan(2900);
  expect(packed?.text.length).toBeLessThanOrEqual(3000);
});

test("FAIL-4: a latest attempt that is too long is shortened and leaves room for the lines of the older ones", () => {
  const fit = (room: number): SafeText => storedText("- c ".padEnd(room, "y"));
  const packed = pack([attempts([item("a", 900), item("b", 900), { ...item("c", 9000), fit }])]).get(
    "attempts",
  );
  expect(packed?.text).toContain("- a in short\n- b in short\n- c yyy");
  expect(packed?.text.length).toBeGreaterThan(2990);
  expect(packed?.text.length).toBeLessThanOrEqual(3000);
});

test("FAIL-4: an earlier attempt is cut to no less than 500 characters, and a fourth is for the lines of the older ones", () => {
  const cut = (id: string) => (room: number) => storedText(`- ${id} `.padEnd(room, "y"));
  const shown = (chars: number, ...items: readonly MemoryItem[]) =>
    pack([section("attempts", items, { drop: "oldest" })], chars).get("attempts")?.text ?? "";
  const around = "### attempts\n\n".length + 2;
  const two = (room: number) =>
    shown(around + 300 + 1 + room, { ...item("a", 900), fit: cut("a") }, item("b", 300));
  expect(two(500)).toContain(`- a yyy`);
  expect(two(499)).toContain("- a in short");
  const lines = "x".repeat(200);
  const latest = shown(around + 800, item("a", 900, lines), item("b", 900, lines), {
    ...item("c", 900),
    fit: cut("c"),
  });
  expect(/- c y+/.exec(latest)?.[0]).toHaveLength(600);
});

test("FAIL-4: the suggestion stands at the end however little room there is", () => {
  const packed = pack([attempts([item("a", 5000, "")])], 60).get("attempts");
  expect(packed?.text).toBe("### attempts\n\n**Suggestion:**\n> try");
  expect(packed?.dropped.map(({ id }) => id)).toEqual(["a"]);
});

test("PROMPT-2: the budget is spent in order, and what a section leaves serves the next", () => {
  const recalled = [
    section("status", [item("s", 300, "")]),
    attempts([item("a", 2500)]),
    section("stuck", [item("w", 300)]),
  ];
  const names = (chars: number): string[] =>
    [...pack(recalled, chars)].flatMap(([name, { text }]) => (text ? [name] : []));
  expect(names(5000)).toEqual(["stuck", "attempts", "status"]);
  expect(names(3000)).toEqual(["stuck", "attempts"]);
  expect(pack(recalled, 3000).get("status")?.dropped).toEqual([
    { section: "status", id: "s", reason: expect.stringMatching(/^no room: \d+ characters were left/) },
  ]);
});

/** The order of spending, with the characters that a section may take. */
const ceilings: readonly (readonly [name: string, chars: number])[] = [
  ["stuck", 400],
  ["attempts", 3000],
  ["learnings", 1500],
  ["notes", 1500],
  ["hivemind", 1500],
  ["skills", 4000],
  ["structured-context", 2000],
  ["journal", 4000],
  ["status", 500],
];

test("PROMPT-2: a section of a memory that does not exist has no place in the budget", () => {
  expect(isMemorySection("verification")).toBe(false);
});

test.each(ceilings)("PROMPT-2: the section %s takes %i characters, and not one more", (name, chars) => {
  const besides = `### ${name}\n\n`.length;
  const textOf = (length: number) => pack([section(name, [item("a", length, "")])], 50_000).get(name)?.text;
  expect(textOf(chars - besides)).toHaveLength(chars);
  expect(textOf(chars - besides + 1)).toBe("");
});

test("PROMPT-2: the budget is spent in the order of the sections, the stuck warning first", () => {
  const names = ceilings.map(([name]) => name);
  const recalled = names.toReversed().map((name) => section(name, [item(name, 200)]));
  const cost = (name: string): number => `### ${name}\n\n`.length + 200 + 2;
  for (const count of names.keys()) {
    const first = names.slice(0, count + 1);
    const chars = first.reduce((sum, name) => sum + cost(name), 0);
    const filled = [...pack(recalled, chars)].flatMap(([name, { text }]) => (text ? [name] : []));
    expect(filled).toEqual(first);
  }
});

test("STRAT-6: the loop status is whole or left out, the stuck warning never left out", () => {
  expect(pack([section("status", [item("s", 600, "")])]).get("status")?.text).toBe("");
  const stuck = section("stuck", [item("w", 380)], { drop: "never" });
  expect(pack([stuck], 5000, { stuck: 0 }).get("stuck")?.text).toContain("- w xxx");
  expect(pack([stuck], 100).get("stuck")?.text).toHaveLength(98);
});

test("PROMPT-2: ceilings come from the configuration, 0 turns a section off", () => {
  const recalled = [attempts([item("a", 1000)])];
  expect(pack(recalled, 5000, { attempts: 0 }).get("attempts")?.text).toBe("");
  expect(pack(recalled, 5000, { attempts: 300 }).get("attempts")?.text).toContain("- a in short");
  const long = attempts([item("a", 5000)]);
  expect(pack([long], 9000, { attempts: 6000 }).get("attempts")?.text).toContain(item("a", 5000).text);
});

const safeString = (maxLength: number): fc.Arbitrary<SafeText> =>
  fc.string({ unit: "grapheme", maxLength }).map(storedText);
const anyItem = fc.record({
  id: fc.string({ maxLength: 10 }),
  text: safeString(3000),
  short: safeString(150),
  score: fc.double(),
  reason: fc.constant("test"),
});
const anySection = (name: string): fc.Arbitrary<Recalled> =>
  fc.record({
    section: fc.constant(name),
    heading: fc.constant(storedText(`### ${name}`)),
    lead: safeString(300),
    items: fc.array(anyItem, { maxLength: 6 }),
    tail: safeString(600),
    drop: fc.constantFrom("oldest", "last", "never"),
  });

test("PROMPT-2: the total is never exceeded, and every item is shown or told as dropped", () => {
  const everything = fc.tuple(...ceilings.map(([name]) => anySection(name)));
  fc.assert(
    fc.property(everything, fc.integer({ min: 0, max: 8000 }), (recalled, chars) => {
      const packed = pack(recalled, chars);
      const used = [...packed.values()].reduce((sum, { text }) => sum + (text ? text.length + 2 : 0), 0);
      expect(used).toBeLessThanOrEqual(chars);
      for (const { section: name, items } of recalled) {
        const result = packed.get(name);
        expect((result?.items.length ?? 0) + (result?.dropped.length ?? 0)).toBe(items.length);
      }
    }),
    { numRuns: 300 },
  );
});
