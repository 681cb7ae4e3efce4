import { joinSafe, type SafeText, safe } from "../base/safe-text.ts";
import { safeLine } from "../trust/safe-text.ts";

/** Returns how a strategy uses an agent's models, what that saves (docs/benchmarks.md), and how to pin one; null: it uses one model. */
export function strategyText(strategy: string, tiers: readonly string[]): SafeText | null {
  const models = [...new Set(tiers)].map((model) => safeLine(model, 40));
  const [how, saved] = strategies[strategy] ?? [];
  const middle = models[1];
  if (!how || !saved || !middle) return null;
  // Measured with three models.
  const saving = models.length === 3 ? safe`: about ${saved} of ${middle} first` : "";
  return safe`${joinSafe(models, ", ")} ${how}${saving} (only one: --model ${middle})`;
}

const strategies: Readonly<Record<string, readonly [how: SafeText, saved: SafeText]>> = {
  adaptive: [safe`by cost per verified task`, safe`half the dollars`],
  escalate: [safe`in turn, two attempts each`, safe`three quarters of the dollars`],
};
