import { clipCopy } from "../../base/text.ts";
import type { AgentError } from "../port/agent.ts";
import type { StreamReader } from "../port/session-stream.ts";
import { apiFailure } from "./api-failure.ts";

/** Lines that programs print beside the reason: warnings, progress, log lines with a time, help, stacks. */
const besides =
  /^(?:warn(?:ing)?\b|info\b|debug\b|reading |YOLO mode |timestamp=|\[STARTUP\]|\d{4}-\d\d-\d\dT\S+ +(?:ERROR|WARN|INFO|DEBUG)\b|for more information|tip:|try .--help|\s+at .+:\d+:\d+\)?$|node\.js v)/i;
const marks = /^(?:\w*Error|fatal|error)\s?:\s*/i;
const maxLines = 3;
const maxLineChars = 4000;

/** Keeps the first and the last lines of a program's stderr that may explain why it could not start. */
export function startWords(): { take(line: string): void; lines(): readonly string[] } {
  const kept: string[] = [];
  let isUsage = false;
  let isHelp = false;
  return {
    take(line) {
      const start = clipCopy(line, maxLineChars);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters.
      const words = start.replace(/\u001b\[[\d;]*m/g, "").trimEnd();
      isUsage ||= /^usage:/i.test(words);
      if (isUsage || words.trim() === "" || besides.test(words)) return;
      if (/^(?:positionals|options|commands):/i.test(words)) {
        // Help without a usage line: the reason follows it.
        isHelp = true;
        kept.length = 0;
      }
      if (isHelp && /^(?:\s|\w+:$)/.test(words)) return;
      if (kept.length >= 20) kept.splice(10, 1);
      kept.push(words);
    },
    lines: () => (isHelp && kept.length === 0 ? ["it printed its help: it rejected an argument"] : kept),
  };
}

/**
 * Returns why a program ended before its session began, from its stderr: by the words where they name a cause, else the
 * program rejected its arguments or settings. Null if it printed no reason.
 */
export function startFailure(
  lines: readonly string[],
  { hints, now }: { readonly hints: StreamReader["hints"]; readonly now: Date },
): AgentError | null {
  const at = Math.max(
    lines.findIndex((line) => marks.test(line)),
    0,
  );
  const words = sentenceOf(lines.slice(at, at + maxLines).map((line) => line.trim()));
  if (words.length === 0) return null;
  const failure = apiFailure(words.join(" ").replace(marks, ""), { kind: kindOfStart(words), hints, now });
  return failure.kind === "crash" ? { ...failure, kind: "unusable", hint: hints.unusable ?? null } : failure;
}

/** Returns the lines of the first sentence. */
function sentenceOf(lines: readonly string[]): readonly string[] {
  const end = lines.findIndex((line) => /[.!?]$/.test(line));
  return end === -1 ? lines : lines.slice(0, end + 1);
}

const tooLong = /exceeds the maximum length|input_too_large|input exceeds \d/i;

function kindOfStart(words: readonly string[]): AgentError["kind"] | undefined {
  return words.some((line) => tooLong.test(line)) ? "prompt_too_long" : undefined;
}
