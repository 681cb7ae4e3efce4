import type { JsonValue } from "../base/json.ts";
import { address, duration, mapping, optional, text, toMs, type ValueType } from "./load/value-type.ts";

/** An endpoint for embeddings (`memory.embeddings`). */
export interface EmbeddingSettings {
  readonly url: string;
  readonly model: string;
  /** The environment variable with its key, so that the file does not contain it. Null: no key needed. */
  readonly keyEnv: string | null;
  readonly timeoutMs: number;
}

const defaultTimeoutMs = 1000;

export const embeddings: ValueType = mapping("{ url: http…, model: name, keyEnv: VARIABLE, timeout: 1s }", {
  url: address,
  model: text,
  keyEnv: optional(text),
  timeout: optional(duration),
});

export function toEmbeddings(value: JsonValue): EmbeddingSettings | null {
  if (value === null) return null;
  const { url, model, keyEnv, timeout } = value as unknown as Omit<EmbeddingSettings, "timeoutMs"> & {
    timeout: string | null;
  };
  return { url, model, keyEnv, timeoutMs: toMs(timeout) ?? defaultTimeoutMs };
}
