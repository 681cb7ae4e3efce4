import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyText } from "../../test/any-text.ts";
import { joinSafe, type RedactedText, redacted, type SafeText, safe } from "../base/safe-text.ts";
import { count, oneLine } from "../base/text.ts";
import { registerSecrets } from "./registered-secrets.ts";
import { redactedText, safeJson, safeLine, safeText } from "./safe-text.ts";
import { printable, storedJson, storedText } from "./stored-text.ts";

const secret = "correct-horse-battery-staple";
registerSecrets([secret]);
const kinds = ["done", "failed"] as const;

/** Sinks of each kind; the compiler checks what they accept. */
const toScreen = (text: SafeText): string => text;
const toLog = (text: RedactedText): string => text;

describe("TRUST-1, TRUST-7: untrusted text reaches a sink only through these functions", () => {
  test("the compiler refuses plain text", () => {
    const untrusted: string = `${secret}\u001b[2J`;
    const id: `t-${string}` = `t-${untrusted}`;
    const maybe = safeText(untrusted) as SafeText | undefined;
    const refused = [
      // @ts-expect-error plain text
      () => toScreen(untrusted),
      // @ts-expect-error redacted text still has control characters
      () => toScreen(redactedText(untrusted)),
      // @ts-expect-error an ordinary template is plain text, even of safe parts
      () => toScreen(`${safeText(untrusted)}`),
      // @ts-expect-error so is a join
      () => toScreen([safeText(untrusted)].join(", ")),
      // @ts-expect-error and a replacement, which may add anything
      () => toScreen(safeText(untrusted).replace("a", untrusted)),
      // @ts-expect-error plain text in a composition
      () => safe`task ${untrusted}`,
      // @ts-expect-error a pattern allows any content
      () => safe`task ${id}`,
      // @ts-expect-error a choice that may be plain text
      () => safe`task ${untrusted === "" ? "none" : untrusted}`,
      // @ts-expect-error a value that may be missing
      () => safe`task ${maybe}`,
      // @ts-expect-error redacted text in a composition for the screen
      () => safe`task ${redactedText(untrusted)}`,
      // @ts-expect-error plain text as the separator
      () => joinSafe([safeText(untrusted)], untrusted),
      // @ts-expect-error plain text in a log
      () => toLog(untrusted),
      // @ts-expect-error plain text in a composition for a log
      () => redacted`stderr: ${untrusted}`,
      // @ts-expect-error text that was not redacted must not skip that step
      () => printable(untrusted),
      // @ts-expect-error a noun that is not fixed
      () => toScreen(count(1, untrusted)),
    ];
    expect(refused).toHaveLength(15);
  });

  test("composition keeps the type", () => {
    const text = safeText(` ${secret} \u001b[31mred\u001b[0m `);
    const line = safe`${kinds[0]}: ${oneLine(text)} (${count(2, "task")}${kinds.length > 1 ? "!" : ""})`;
    expect(toScreen(line)).toBe("done: [redacted:env] red (2 tasks!)");
    expect(toLog(line)).toBe(line);
    expect(toScreen(joinSafe([text.trim(), line.slice(0, 4).padEnd(6)], " | "))).toBe(
      "[redacted:env] red | done  ",
    );
    expect(toScreen(printable(redactedText(`${secret}\u0007`)))).toBe("[redacted:env]");
  });

  test("a secret that control characters interrupt is found", () => {
    const hidden = `correct-horse\u001b[0m-battery\u200b-staple`;
    expect(safeText(`key ${hidden}`)).toBe("key [redacted:env]");
    expect(safeLine(`key\n${hidden}`)).toBe("key [redacted:env]");
    expect(JSON.parse(safeJson({ at: [hidden] }))).toEqual({ at: ["[redacted:env]"] });
  });

  test("whatever the text, neither a secret nor a control character is left", () => {
    const noise = fc.constantFrom("\u001b[1m", "\u0000", "\u200b", "\r", "\u009b31m", "", "", "a b", "\n");
    const parts = fc.array(fc.oneof(noise, fc.constantFrom(secret, ...secret), fc.string()), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(parts, (some) => {
        const text = safeText(some.join(""));
        expect(text).not.toContain(secret);
        expect(storedText(text)).toBe(text);
        expect(safeText(text)).toBe(text);
      }),
    );
  });

  test("a line is cut only after the secrets are found", () => {
    expect(safeLine(`key: ${secret}`, 20)).toBe("key: [redacted:env]");
    expect(safeLine("a  b\r\nc".repeat(9), 9)).toBe("a b ca b…");
  });
});

test("TRUST-7: JSON on a terminal has no control characters, and reads back unchanged", () => {
  for (const title of [
    "\u009b31mred",
    "\u001b]0;x\u0007",
    "\u202egnp.exe",
    "\u{e0041}tag",
    "a\u2028b",
    "\u200d",
  ]) {
    const line = storedJson({ title });
    expect(storedText(line)).toBe(line);
    expect(JSON.parse(line)).toEqual({ title });
  }
  fc.assert(
    fc.property(anyText(), (text) => {
      expect(JSON.parse(storedJson([text]))).toEqual([text]);
    }),
  );
});
