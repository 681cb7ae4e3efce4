import { calcPrice, findProvider, type Usage } from "@pydantic/genai-prices";
import type { ModelPrices } from "../../base/shared-settings.ts";
import type { AgentTokens } from "../port/agent.ts";
import { parseTier } from "../port/tiers.ts";

interface Session {
  /** The name of the model, or a tier (`gpt-5.5:high`), perhaps after a provider (`openai/gpt-5.5`). */
  readonly model: string;
  readonly tokens: AgentTokens;
  /** Tokens of the session's last request; null: unknown. */
  readonly contextUsed: number | null;
  readonly now: Date;
  /** The person's own prices, which precede the table. */
  readonly own: ModelPrices;
}

/** Names are stated by agents; those of models are shorter. */
const maxNameChars = 200;
/** Assumed size of a request in tokens: no price list has a surcharge for it. */
const usualRequest = 10_000;

/**
 * Returns a session's cost in US dollars by list prices, cached input by its own prices; null if the table does not have the
 * model. The table is part of the package `@pydantic/genai-prices`: nothing is downloaded.
 */
export function listPrice({ model, tokens, contextUsed, now, own }: Session): number | null {
  const { input, output, cacheRead, cacheWrite } = tokens;
  const { model: name } = parseTier(model.slice(0, maxNameChars));
  const price = [model, name].flatMap((one) => (Object.hasOwn(own, one) ? (own[one] ?? []) : []))[0];
  if (price) {
    const cached = price.cached ?? price.input;
    return ((input + cacheWrite) * price.input + cacheRead * cached + output * price.output) / 1e6;
  }
  const all = input + cacheRead + cacheWrite;
  // Surcharges for long contexts depend on the size of one request, not on the sum of a session.
  const share = Math.min(1, Math.max(1, contextUsed ?? usualRequest) / Math.max(1, all));
  const usage: Usage = {
    input_tokens: all * share,
    cache_read_tokens: cacheRead * share,
    cache_write_tokens: cacheWrite * share,
    output_tokens: output * share,
  };
  for (const [known, providerId] of namesOf(name)) {
    const price = tryPrice(usage, known, { timestamp: now, ...(providerId && { providerId }) });
    if (price !== null) return price / share;
  }
  return null;
}

/** The models that the aliases of Claude Code mean at present. */
const aliases: ReadonlyMap<string, string> = new Map([
  ["haiku", "claude-haiku-4-5"],
  ["sonnet", "claude-sonnet-4-5"],
  ["opus", "claude-opus-4-5"],
]);

type KnownName = readonly [model: string, providerId?: string];

/** Returns the names under which the table may have a model, each with its provider if it is stated. */
function namesOf(name: string): readonly KnownName[] {
  const undated = name.replace(/-\d{4}-?\d{2}-?\d{2}$/, "");
  return [aliases.get(name) ?? name, undated].flatMap((model): readonly KnownName[] => {
    const slash = model.indexOf("/");
    const providerId = slash < 1 ? undefined : findProvider({ providerId: model.slice(0, slash) })?.id;
    if (slash < 1) return [[model]];
    return providerId === undefined ? [] : [[model.slice(slash + 1), providerId]];
  });
}

function tryPrice(usage: Usage, model: string, options: Parameters<typeof calcPrice>[2]): number | null {
  try {
    const total = calcPrice(usage, model, options)?.total_price ?? Number.NaN;
    return Number.isFinite(total) ? total : null;
  } catch {
    // It refuses usage that contradicts itself, such as more cached tokens than tokens.
    return null;
  }
}
