/** Reads a stream to its end as UTF-8; null when it has more than `maxBytes`. */
export async function readStream(stream: AsyncIterable<unknown>, maxBytes: number): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    const part = Buffer.from(chunk as Uint8Array);
    bytes += part.length;
    if (bytes > maxBytes) return null;
    chunks.push(part);
  }
  return Buffer.concat(chunks).toString("utf8");
}
