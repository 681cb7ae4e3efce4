/** Makes opencode print errors on stderr, where it states limits that it retries. Values set by the user win. */
export function opencodeLogEnv(env: Readonly<Record<string, string>>): Record<string, string> {
  return {
    OPENCODE_PRINT_LOGS: env["OPENCODE_PRINT_LOGS"] ?? "1",
    OPENCODE_LOG_LEVEL: env["OPENCODE_LOG_LEVEL"] ?? "ERROR",
  };
}

const isError = /\blevel=ERROR\b|^ERROR\b/;
const errorName = /^\w*Error: /;

/** Returns the failed call of the model that a line of the log reports; null: it reports none. */
export function loggedCall(line: string): { readonly words: string; readonly status: number | null } | null {
  // A small model writes titles, which the work does not need.
  if (!isError.test(line) || /\bsmall=true\b/.test(line)) return null;
  const stated = /"?statusCode"?\s?[:=]\s?"?(\d{3})/.exec(line)?.[1];
  if (stated === undefined && !/APICallError|RetryError|ECONN\w+|fetch failed/.test(line)) return null;
  const words = /(?:error\.error=|"message"\s?:\s?)"((?:[^"\\]|\\.)*)"/.exec(line)?.[1] ?? line;
  return { words: words.replace(errorName, ""), status: stated === undefined ? null : Number(stated) };
}

/** Returns the reason for an error that an event names by its reference only; null: the line states none. */
export function loggedReason(line: string): { readonly ref: string; readonly words: string } | null {
  if (!isError.test(line)) return null;
  const [, ref, words] = /\bref=(\w+) error="((?:[^"\\]|\\.)*)"/.exec(line) ?? [];
  return ref === undefined || words === undefined ? null : { ref, words: words.replace(errorName, "") };
}
