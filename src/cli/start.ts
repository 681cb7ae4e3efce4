import { writeSync } from "node:fs";
import { ignoreClosedPipes } from "./shell/ignore-closed-pipes.ts";
import type { QuickOutput } from "./status/quick-status.ts";

/** Where `ralph` begins: answers a plain `ralph status` itself, and hands everything else to the whole program. */
export async function start(words: readonly string[]): Promise<number> {
  const said = await respond(words);
  if (!said) return (await import("./shell/main.ts")).main(words);
  print(1, said.out);
  print(2, said.note);
  return 0;
}

async function respond(words: readonly string[]): Promise<QuickOutput | undefined> {
  if (words[0] !== "status") return undefined;
  try {
    const { quickStatus } = await import("./status/quick-status.ts");
    return await quickStatus(words.slice(1));
  } catch {
    // Whatever it was, the whole program meets it again and tells it in full.
    return undefined;
  }
}

/** At once: opening Node's own stream takes longer than the rest of the answer. */
function print(file: 1 | 2, text: string): void {
  if (text === "") return;
  let written = 0;
  const bytes = Buffer.from(text);
  try {
    while (written < bytes.length) written += writeSync(file, bytes, written);
  } catch {
    // The pipe is full, or closed, or there is no room: Node's stream waits, or says it.
    ignoreClosedPipes();
    (file === 1 ? process.stdout : process.stderr).write(bytes.subarray(written));
  }
}
