import type { Readable } from "node:stream";

const quietMs = 300;
const longestMs = 5000;

/**
 * Lets what is still in the pipes of an ended program arrive, then closes them. A pipe that somebody else holds open
 * never ends by itself (Node's `close` waits for it for ever): 300 ms without a byte are the end too.
 */
export async function drain(streams: readonly Readable[]): Promise<void> {
  let lastByte = performance.now();
  const touch = (): void => {
    lastByte = performance.now();
  };
  for (const stream of streams) stream.on("data", touch);
  const ends = streams.map((stream) => ended(stream));
  const start = performance.now();
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const now = performance.now();
      if (now - lastByte >= quietMs || now - start >= longestMs) finish();
    }, 50);
    const finish = (): void => {
      clearInterval(timer);
      resolve();
    };
    void Promise.all(ends).then(finish);
  });
  for (const stream of streams) stream.destroy();
}

async function ended(stream: Readable): Promise<void> {
  if (stream.readableEnded || stream.destroyed) return;
  await new Promise<void>((resolve) => {
    stream.once("end", resolve);
    stream.once("close", resolve);
    stream.on("error", () => resolve());
  });
}
