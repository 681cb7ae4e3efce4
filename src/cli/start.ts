import { writeSync } from "node:fs";
import { outliveClosedPipes } from "./outlive-closed-pipes.ts";
import type { Said } from "./quick-status.ts";

/** Where `ralph` begins: answers a plain `ralph status` itself, and hands everything else to the whole program. */
export async function start(words: readonly string[]): Promise<number> {
  const said = await answer(words);
  if (!said) return (await import("./main.ts")).main(words);
  say(1, said.out);
  say(2, said.note);
  return 0;
}

async function answer(words: readonly string[]): Promise<Said | undefined> {
  if (words[0] !== "status") return undefined;
  try {
    const { quickStatus } = await import("./quick-status.ts");
    return await quickStatus(words.slice(1));
  } catch {
    // Whatever it was, the whole program meets it again and tells it in full.
    return undefined;
  }
}

/** At once: opening Node's own stream takes longer than the rest of the answer. */
function say(file: 1 | 2, text: string): void {
  if (text === "") return;
  let written = 0;
  const bytes = Buffer.from(text);
  try {
    while (written < bytes.length) written += writeSync(file, bytes, written);
  } catch {
    // The pipe is full, or closed, or there is no room: Node's stream waits, or says it.
    outliveClosedPipes();
    (file === 1 ? process.stdout : process.stderr).write(bytes.subarray(written));
  }
}
