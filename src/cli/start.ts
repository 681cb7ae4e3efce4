import { writeSync } from "node:fs";
import { systemCode } from "../base/errors.ts";
import { type SafeText, safe } from "../base/safe-text.ts";
import { type QuickOutput, quickStatus } from "./commands/status/quick-status.ts";
import { ignoreClosedPipes } from "./shell/ignore-closed-pipes.ts";

/** The entry point of `ralph`: answers a plain `ralph status` itself and passes everything else to the full program. */
export async function start(words: readonly string[]): Promise<number> {
  try {
    const output = await respond(words);
    if (!output) return await (await import("./main.ts")).main(words);
    print(1, output.out);
    print(2, output.note);
    return 0;
  } catch (error) {
    return refused(error, words.includes("--json"));
  }
}

/** Reasons for which even the part of ralph that reports errors cannot be loaded. */
const reasons: Readonly<Record<string, readonly [why: SafeText, hint: SafeText]>> = {
  EMFILE: [safe`too many files are open`, safe`raise the limit (ulimit -n) and run the same command again`],
  ENFILE: [
    safe`too many files are open on this machine`,
    safe`close programs and run the same command again`,
  ],
  EIO: [safe`the disk reported an error`, safe`check the disk's health, then run the same command again`],
};

/** Reports that the system refused to open ralph's own files; exit code 5. Any other error is a bug. */
function refused(error: unknown, json: boolean): number {
  const [why, hint] = reasons[systemCode(error) ?? ""] ?? [];
  if (why === undefined || hint === undefined) throw error;
  const message = safe`ralph cannot open its own files: ${why}`;
  if (json) print(1, safe`{"error":{"code":"RALPH_FILE_READ","message":"${message}","hint":"${hint}"}}\n`);
  else print(2, safe`error: ${message}\nhint: ${hint}\n`);
  return 5;
}

async function respond(words: readonly string[]): Promise<QuickOutput | undefined> {
  if (words[0] !== "status") return undefined;
  try {
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
