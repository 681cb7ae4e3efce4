import { writeSync } from "node:fs";
import type { SafeText } from "../base/safe-text.ts";
import { ignoreClosedPipes } from "./shell/ignore-closed-pipes.ts";
import type { QuickOutput } from "./status/quick-status.ts";

/** The entry point of `ralph`: answers a plain `ralph status` itself and passes everything else to the full program. */
export async function start(words: readonly string[]): Promise<number> {
  const output = await respond(words);
  if (!output) return (await import("./shell/main.ts")).main(words);
  print(1, output.out);
  print(2, output.note);
  return 0;
}

async function respond(words: readonly string[]): Promise<QuickOutput | undefined> {
  if (words[0] !== "status") return undefined;
  try {
    const { quickStatus } = await import("./status/quick-status.ts");
    return await quickStatus(words.slice(1));
  } catch {
    // The full program meets the same error and reports it.
    return undefined;
  }
}

/** Writes synchronously, because opening Node's stream takes longer than the rest of the answer. */
function print(file: 1 | 2, text: SafeText): void {
  if (text === "") return;
  let written = 0;
  const bytes = Buffer.from(text);
  try {
    while (written < bytes.length) written += writeSync(file, bytes, written);
  } catch {
    // The pipe is full or closed, or the disk is full: Node's stream waits or reports the error.
    ignoreClosedPipes();
    (file === 1 ? process.stdout : process.stderr).write(bytes.subarray(written));
  }
}
