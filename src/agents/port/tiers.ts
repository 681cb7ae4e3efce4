/** The levels of effort that agents know; other words after a colon belong to the model's name (`qwen3:32b`). */
const effort = /^(.+):(none|minimal|low|medium|high|xhigh|max|ultra)$/;

interface Tier {
  readonly model: string;
  /** Null: the agent's own default. */
  readonly effort: string | null;
}

/** Splits a tier, `model` or `model:effort`, such as `opus:high`. */
export function parseTier(tier: string): Tier {
  const [, model, level] = effort.exec(tier) ?? [];
  return model === undefined || level === undefined
    ? { model: tier, effort: null }
    : { model, effort: level };
}
