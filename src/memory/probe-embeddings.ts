import { messageOf } from "../base/errors.ts";
import { type EmbeddingEndpoint, embeddingLength } from "../search/embeddings.ts";

/** Tests an endpoint for embeddings and returns how many numbers a text gets, or what is wrong with it. */
export async function probeEmbeddings(
  endpoint: EmbeddingEndpoint,
): Promise<{ readonly size: number } | { readonly problem: string }> {
  try {
    return { size: await embeddingLength(endpoint) };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}
