import type { Readable } from "node:stream";

const tickMs = 50;
const quietTicks = 6;
const maxDrainMs = 5000;

/**
 * Reads what is left in the pipes of an ended program, then closes them. A pipe that another process holds open never
 * ends (Node's `close` event would wait for it): 300 ms without output count as the end too. They are counted in ticks,
 * because on a busy machine that time can pass before this process gets to read.
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
