import { safeLine } from "../../trust/safe-text.ts";
import { parseTier } from "./tiers.ts";

/**
 * Returns the model to which a session is credited: the one that answered. It keeps the name by which it is asked for: `haiku`, whether it
 * answered as `claude-haiku-4-5-20251001` or instead of another tier. `answered` null: unknown.
 */
export function answeringModel(asked: string, answered: string | null, tiers: readonly string[]): string {
  if (answered === null || parseTier(asked).model === "default" || isSame(asked, answered)) return asked;
  return tiers.find((tier) => isSame(tier, answered)) ?? safeLine(answered, 100);
}

/** A version, a date or a channel after a model's name makes it no other model: `gpt-5-2025-08-07`, but not `gpt-5-mini`. */
const version = /^(?:[-.@:_ ]?(?:v?\d[\d.]*|latest|preview|exp))*$/;

function isSame(one: string, other: string): boolean {
  const [a, b] = [plainName(one), plainName(other)];
  return a === b || continues(a, b) || continues(b, a);
}

/** Reports whether `long` is `short` with words before it and at most a version behind it. */
function continues(long: string, short: string): boolean {
  const at = long.indexOf(short);
  if (at < 0 || short === "") return false;
  const isWord = at === 0 || /[^a-z0-9.]/.test(long.charAt(at - 1));
  return isWord && version.test(long.slice(at + short.length));
}

/** Without effort, provider and size of the context: `sonnet` of `anthropic/sonnet[1m]:high`. */
function plainName(name: string): string {
  const { model } = parseTier(name.trim().toLowerCase());
  return model.replace(/\[.*\]$/, "").replace(/^.*\//, "");
}
