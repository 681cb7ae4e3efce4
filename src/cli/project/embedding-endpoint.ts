import type { EmbeddingSettings } from "../../config/embeddings.ts";
import { readEnv } from "../../config/environment.ts";
import type { Settings } from "../../config/settings.ts";

type Endpoint = Omit<EmbeddingSettings, "keyEnv"> & { readonly key: string | null };

/** Returns the endpoint for embeddings with its key; null when the settings name none. */
export function endpointOf({ memory: { embeddings } }: Settings): Endpoint | null {
  if (embeddings === null) return null;
  const { keyEnv, ...endpoint } = embeddings;
  return { ...endpoint, key: keyEnv === null ? null : (readEnv(keyEnv) ?? null) };
}
