import { stripControls } from "../../src/trust/strip-controls.ts";
import type { Finding } from "./finding.ts";

/** No text gets a control character, a bidirectional override or a tag character onto the screen. */
export function checkScreen(texts: readonly string[]): Finding {
  const bad = texts.filter((text) =>
    /[^\P{Cc}\n\t]|[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/u.test(
      stripControls(text),
    ),
  );
  const changed = texts.filter((text) => stripControls(text) !== text).length;
  return {
    passed: bad.length === 0,
    figures: `${texts.length} texts, ${changed} cleaned, ${bad.length} unsafe`,
    details: bad,
  };
}
