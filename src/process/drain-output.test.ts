import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { scaledLimit } from "../../test/scaled-limit.ts";
import { drainOutput } from "./drain-output.ts";

test("what is still in a pipe arrives, and a pipe that a stranger holds open is closed", async () => {
  const program = spawn("sh", ["-c", "sleep 60 & echo $!; echo last words"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  let heard = "";
  program.stdout.on("data", (chunk: Buffer) => {
    heard += chunk.toString();
  });
  await once(program, "exit");
  const start = performance.now();
  await drainOutput([program.stdout]);
  const took = performance.now() - start;
  process.kill(Number.parseInt(heard, 10), "SIGKILL");
  expect(heard).toMatch(/^\d+\nlast words\n$/);
  expect(took).toBeLessThan(scaledLimit(3000));
  expect(program.stdout.destroyed).toBe(true);
});
