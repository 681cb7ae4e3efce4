import type { Readable } from "node:stream";

const tickMs = 50;
const quietTicks = 6;
const maxDrainMs = 5000;

/**
 * Lets what is still in the pipes of an ended program arrive, then closes them. A pipe that somebody else holds open
 * never ends by itself (Node's `close` waits for it for ever): 300 ms without a byte are the end too, in ticks, as a busy
 * machine may let that time pass before it lets us read.
 */
export async function drainOutput(streams: readonly Readable[]): Promise<void> {
  let quiet = 0;
  const touch = (): void => {
    quiet = 0;
  };
  for (const stream of streams) stream.on("data", touch);
  const ends = streams.map((stream) => ended(stream));
  const start = performance.now();
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      quiet += 1;
      if (quiet >= quietTicks || performance.now() - start >= maxDrainMs) finish();
    }, tickMs);
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
