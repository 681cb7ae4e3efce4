import { isUtf8 } from "node:buffer";
import { buffer as readAll } from "node:stream/consumers";
import { RalphError } from "../../base/errors.ts";
import { parseJson } from "../../base/json.ts";
import { safe } from "../../base/safe-text.ts";
import { redactedText } from "../../trust/safe-text.ts";
import type { CommandSpec } from "../shell/command.ts";
import { usageError } from "../shell/io.ts";

/** A secret is recognized by the text around it, so the input is read whole. Node's texts end at twice this size. */
const maxBytes = 256 * 1024 * 1024;

/** `ralph redact`: what ralph does with secrets, for text that a person wants to share (TRUST-2). */
export const command: CommandSpec = {
  description:
    "Prints standard input with each recognized secret replaced by [redacted:kind], as ralph does in its store, logs and prompts: tokens of known forms, private keys, credentials in URLs and headers, values that look secret behind a name such as api_key, and the values of environment variables with such names. What it does not recognize stays, such as short passwords and those of letters alone (password=hunter2): read the output before you share it.",
  examples: ["ralph redact < app.log", "ralph redact --lines < texts.jsonl"],
  options: [{ flags: "--lines", description: "read one JSON string per line, and print each as one" }],
  run: async (session, { options }) => {
    if (process.stdin.isTTY) session.note("reading standard input; hint: press Ctrl-D to end it");
    const bytes = await readAll(process.stdin);
    if (bytes.length > maxBytes) {
      throw new RalphError("RALPH_INPUT_TOO_LARGE", "cannot redact more than 256 MiB at once", {
        hint: "split the input: `split -C 200M app.log`",
      });
    }
    const text = textOf(bytes);
    if (text.includes("\uFFFD") && !isUtf8(bytes))
      session.note(
        "some bytes are not UTF-8 and are printed as \uFFFD: secrets that contain them are not recognized",
      );
    if (text === "") return;
    if (options["lines"] !== true) session.outFile(redactedText(text).replace(/\n$/, ""));
    else
      for (const [at, line] of text.replace(/\n$/, "").split("\n").entries())
        session.outFile(redactLine(line, at));
  },
};

/** Decodes UTF-8, or UTF-16 with a byte order mark, which is dropped: PowerShell writes logs like that. */
function textOf(bytes: Buffer): string {
  const mark = bytes.subarray(0, 2).toString("hex");
  const encoding = mark === "fffe" ? "utf-16le" : mark === "feff" ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding).decode(bytes);
}

function redactLine(line: string, at: number): string {
  const value = parseJson(line);
  if (typeof value === "string") return JSON.stringify(redactedText(value));
  throw usageError(safe`invalid line ${at + 1}: expected a JSON string`, "leave out --lines for plain text");
}
