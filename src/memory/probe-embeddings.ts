import { messageOf } from "../base/errors.ts";
import { type EmbeddingEndpoint, embeddingLength } from "../search/embeddings.ts";

/** What an endpoint for embeddings answers to a test: how many numbers a text gets, or what is wrong with it. */
export async function probeEmbeddings(
  endpoint: EmbeddingEndpoint,
): Promise<{ readonly size: number } | { readonly problem: string }> {
  try {
    return { size: await embeddingLength(endpoint) };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}
