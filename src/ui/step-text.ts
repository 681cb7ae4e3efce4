import type { SafeText } from "../base/safe-text.ts";
import { safeLine } from "../trust/safe-text.ts";

const maxStepChars = 200;

/** Returns an agent's step on one line, with paths below the project's `root` relative to it. */
export function stepText(text: string, root: string): SafeText {
  const below = root.endsWith("/") ? root : `${root}/`;
  return safeLine(text.replaceAll(below, ""), maxStepChars);
}
