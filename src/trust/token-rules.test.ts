import { describe, expect, test } from "vitest";
import { redact } from "./redact.ts";
import { tokenRules } from "./token-rules.ts";

// Tokens are drawn from the rules' own patterns, lest scanners take this file for a leak. What the tests judge is the rest:
// that no other rule hides a rule, that the whole token goes from any context, and that an illustration stays.

/** Returns the same numbers in every run (Lehmer). */
function numbers(seed: number): (below: number) => number {
  let state = seed + 1;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

function charactersOf(set: string): string {
  const ranges = set.replace(/\\d/g, "0-9").replace(/\\(.)/g, "$1");
  return ranges.replace(/(\w)-(\w)/g, (_, from: string, to: string) =>
    Array.from({ length: to.charCodeAt(0) - from.charCodeAt(0) + 1 }, (__, n) =>
      String.fromCharCode(from.charCodeAt(0) + n),
    ).join(""),
  );
}

/** Draws a text of a pattern: character sets, groups, alternatives and repetitions; skips lookarounds. */
function draw(pattern: string, next: (below: number) => number): string {
  let at = 0;
  const alternatives = (): string => {
    const options = [sequence()];
    while (pattern[at] === "|") {
      at++;
      options.push(sequence());
    }
    return options[next(options.length)] ?? "";
  };
  const group = (): string => {
    at++;
    const ahead = /^\?<?[!=]/.test(pattern.slice(at));
    at += /^\?(?::|<?[!=])/.exec(pattern.slice(at))?.[0].length ?? 0;
    const text = alternatives();
    at++;
    return ahead ? "" : text;
  };
  const sequence = (): string => {
    let text = "";
    while (at < pattern.length && pattern[at] !== "|" && pattern[at] !== ")") {
      const start = at;
      text += atom();
      const times = /^(?:\{(\d+)(?:,\d*)?\}|(\?))/.exec(pattern.slice(at));
      if (!times) continue;
      const end = at + times[0].length;
      if (times[2]) text += "";
      for (let n = 1; n < Number(times[1] ?? 1); n++) {
        at = start;
        text += atom();
      }
      at = end;
    }
    return text;
  };
  const atom = (): string => {
    if (pattern[at] === "(") return group();
    const set = /^(?:\[((?:\\.|[^\]])+)\]|\\(.)|(.))/.exec(pattern.slice(at));
    if (!set) throw new Error(`cannot draw ${pattern}`);
    at += set[0].length;
    const characters = charactersOf(set[1] ?? (set[2] === "d" ? "0-9" : (set[2] ?? set[3] ?? "")));
    return characters[next(characters.length)] ?? "";
  };
  return alternatives();
}

describe("TRUST-1: every rule for tokens finds the whole token, and no illustration", () => {
  test.each(tokenRules.map((rule, at) => [`${rule.kind} ${at}`, rule, at] as const))(
    "TRUST-1: %s",
    (_name, { pattern, certain }, at) => {
      const next = numbers(at);
      for (let round = 0; round < 5; round++) {
        const token = draw(pattern, next);
        for (const [before, after] of [
          ["", ""],
          ["failed with ", ", sorry"],
          ['{"line":"a\\n', '\\nb"}'],
          ["(", ")."],
          ["<b>", "</b>"],
        ]) {
          const out = redact(`${before}${token}${after}`);
          expect(out).toMatch(/\[redacted:[a-z0-9-]+\]/);
          const body = token.replace(/^[&?]/, "");
          for (let from = 0; from + 12 <= body.length; from += 6)
            expect(out, token).not.toContain(body.slice(from, from + 12));
          expect(redact(out)).toBe(out);
        }
      }
      if (certain) return;
      // Letters and digits of the second half replaced by one of the same alphabet.
      const sample = draw(pattern, next);
      const half = sample.length >> 1;
      const drawn =
        sample.slice(0, Math.min(8, half)) + sample.slice(Math.min(8, half)).replace(/[a-z0-9]/gi, "0");
      if (/0{16}/.test(drawn)) expect(redact(drawn)).toBe(drawn);
    },
  );
});
