import { cleanText } from "../base/text.ts";
import type { ReportedFailure } from "./outcome.ts";

const keys = ["what_tried", "why_failed", "error_category", "relevant_files", "stack_trace"] as const;
type Key = (typeof keys)[number];

const keyLine = new RegExp(`^[ \\t]*(${keys.join("|")})[ \\t]*:(.*)$`);
/** The size of the column. The full trace is in the verification output. */
const maxStackTrace = 500;

/**
 * Parses the body of a `<failure-report>`: one `key: value` per line. Only `stack_trace` continues over the following lines,
 * up to the next known key. The first value of each key counts. Returns null without `what_tried` or `why_failed`.
 */
export function readFailureReport(body: string): ReportedFailure | null {
  const values = readValues(body);
  const whatTried = values.get("what_tried");
  const whyFailed = values.get("why_failed");
  if (!whatTried || !whyFailed) return null;
  const files = (values.get("relevant_files") ?? "").split(",").map((file) => file.trim());
  return {
    whatTried,
    whyFailed,
    errorCategory: values.get("error_category") ?? "unknown",
    relevantFiles: [...new Set(files)].filter((file) => file !== ""),
    stackTrace: cleanText((values.get("stack_trace") ?? "").slice(0, maxStackTrace)),
  };
}

function readValues(body: string): ReadonlyMap<Key, string> {
  const values = new Map<Key, string>();
  let trace: string[] | null = null;
  const endTrace = (): void => {
    const text = trace?.join("\n").trim();
    if (text && !values.has("stack_trace")) values.set("stack_trace", text);
    trace = null;
  };
  for (const line of body.split("\n")) {
    const [, key, value = ""] = keyLine.exec(line.trimEnd()) ?? [];
    if (key === undefined) {
      trace?.push(line.trimEnd());
      continue;
    }
    endTrace();
    if (key === "stack_trace") trace = [value];
    else if (value.trim() !== "" && !values.has(key as Key)) values.set(key as Key, value.trim());
  }
  endTrace();
  return values;
}
