import { isObject, type JsonObject } from "../../base/json.ts";
import type { Reading } from "../port/session-stream.ts";
import { amountOf } from "./json-events.ts";

type Context = Pick<Reading, "contextUsed" | "contextSize" | "compactions">;

/** Follows how full the model's context is. */
interface ClaudeContext {
  /** Takes the `usage` of a message of the main agent: what its request contained. */
  request(usage: JsonObject): void;
  /** Takes a `compact_boundary` event. */
  compacted(event: JsonObject): void;
  /** Takes `modelUsage` of a result, which states the size of the context of each model. */
  models(modelUsage: JsonObject, model: string | null): void;
  reading(): Context;
}

const tokensIn = (record: JsonObject, key: string): number => amountOf(record[key]);

export function claudeContext(): ClaudeContext {
  let used: number | null = null;
  let size: number | null = null;
  let compactions = 0;
  return {
    request(usage) {
      const parts = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];
      const sum = parts.reduce((total, key) => total + tokensIn(usage, key), 0);
      if (sum > 0) used = sum;
    },
    compacted(event) {
      compactions += 1;
      const metadata = event["compact_metadata"];
      if (isObject(metadata)) used = tokensIn(metadata, "post_tokens") || null;
    },
    models(modelUsage, model) {
      const own = Object.entries(modelUsage).find(([name]) => name === model)?.[1];
      const facts = own ?? Object.values(modelUsage)[0];
      if (isObject(facts)) size = tokensIn(facts, "contextWindow") || size;
    },
    reading: () => ({ contextUsed: used, contextSize: size, compactions }),
  };
}
