import { nearest } from "../../base/nearest.ts";
import { parseTier } from "./tiers.ts";

/** Dollars per million tokens. */
export interface TokenPrice {
  readonly input: number;
  readonly output: number;
}

/** A model that an agent offers. */
export interface OfferedModel {
  /** As a tier names it. */
  readonly name: string;
  /** The full name behind an alias; null: `name` is it, or it is unknown. */
  readonly means: string | null;
  /** Null: the agent does not state them. */
  readonly efforts: readonly string[] | null;
  /** Dollars per million tokens, as the agent states them; null: it does not. */
  readonly price: TokenPrice | null;
  /** True: it is used where no model is named. */
  readonly isDefault: boolean;
}

/** Returns a model of which the agent states only what is given. */
export function offered(name: string, stated: Partial<OfferedModel> = {}): OfferedModel {
  return { name, means: null, efforts: null, price: null, isDefault: false, ...stated };
}

/** The models of an agent, as it states itself without a request to a model. */
export interface ModelOffer {
  readonly models: readonly OfferedModel[];
  /** Returns true for a name that is not in the list and may work all the same. */
  readonly mayTake: (name: string) => boolean;
}

/** Asks an agent's program what it offers. */
export interface ModelQuestion {
  /** True: the agent's sessions refuse what is not offered before their prompt, so a run need not ask before. */
  readonly sessionsRefuse: boolean;
  /** `cwd`: the project's root. Null: the program gives no answer that can be read. */
  ask(cwd: string): Promise<ModelOffer | null>;
}

/** A tier that the agent does not offer. */
export interface NotOffered {
  /** `does not offer the model "sonet"`. */
  readonly what: string;
  readonly nearest: string | null;
  readonly offered: readonly string[];
}

/** Returns what of a tier the agent does not offer; null: nothing, as far as it states that. */
export function notOffered(tier: string, { models, mayTake }: ModelOffer): NotOffered | null {
  const { model, effort } = parseTier(tier);
  const named = models.find(
    (one) => one.name === model || one.means === model || (model === "default" && one.isDefault),
  );
  if (!named) {
    if (model === "default" || mayTake(model)) return null;
    const names = models.map(({ name }) => name);
    return {
      what: `does not offer the model "${model}"`,
      nearest: nearest(model, names) ?? null,
      offered: names,
    };
  }
  const { efforts } = named;
  if (effort === null || efforts === null || efforts.includes(effort)) return null;
  // The words are scales, not spellings: the strongest that is offered is meant by one that is not.
  const best = nearest(effort, efforts) ?? efforts.at(-1) ?? null;
  return {
    what: `does not offer the effort "${effort}" for ${model}`,
    nearest: best === null ? model : `${model}:${best}`,
    offered: efforts,
  };
}
