import { indentOf } from "./error-line.ts";

/** Returns the lines with the expected and the actual value of each assertion once. */
export function stateAssertionsOnce(lines: readonly string[]): readonly string[] {
  const steps = [
    nodeSummaryOnly,
    withoutNodeProperties,
    withoutJestSummary,
    mochaDiffOnly,
    vitestMessageOnly,
  ];
  return pytestNamesOnly(steps.reduce((rest, step) => step(rest), lines));
}

const nodeSummary = "✖ failing tests:";

/** node:test prints each failure where it happens and again at the end: the latter stays. */
function nodeSummaryOnly(lines: readonly string[]): readonly string[] {
  const summary = lines.findIndex((line) => line.trim() === nodeSummary);
  if (summary < 0) return lines;
  const later = new Set(lines.slice(summary + 1).map((line) => line.trim()));
  return lines.filter((line, at) => at >= summary || line.trim() === "" || !later.has(line.trim()));
}

const maxProperties = 400;

/** The properties that Node prints of an AssertionError: its values stay if its message does not state them. */
function withoutNodeProperties(lines: readonly string[]): readonly string[] {
  const kept: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    if (!/^\s*generatedMessage: (?:true|false),$/.test(line)) {
      kept.push(line);
      continue;
    }
    const last = kept.length - 1;
    if (kept[last]?.endsWith(" {")) kept[last] = `${kept[last]?.slice(0, -2)}`;
    const indent = indentOf(line);
    const properties = lines.slice(at, at + maxProperties);
    const length = properties.findIndex((other) => indentOf(other) < indent && other.trim() === "}");
    const close = at + (length < 0 ? properties.length : length);
    if (line.includes("false"))
      for (const one of valuesOf(lines.slice(at + 1, close), indent)) kept.push(one);
    at = close;
  }
  return kept;
}

function valuesOf(properties: readonly string[], indent: number): readonly string[] {
  let isValue = false;
  return properties.filter((line) => {
    if (indentOf(line) <= indent && /^\s*\w+: /.test(line)) isValue = /^\s*(?:actual|expected): /.test(line);
    return isValue;
  });
}

/** After many suites jest prints all failures a second time. */
function withoutJestSummary(lines: readonly string[]): readonly string[] {
  const summary = lines.findIndex((line) => line.startsWith("Summary of all failing tests"));
  if (summary < 0) return lines;
  const totals = lines.findIndex((line, at) => at > summary && line.startsWith("Test Suites: "));
  return [...lines.slice(0, summary), ...(totals < 0 ? [] : lines.slice(totals))];
}

/** Maximum lines of a message before its difference. */
const maxMessage = 80;

/** mocha prints the message of an assertion, with both values, and then their difference, which stays. */
function mochaDiffOnly(lines: readonly string[]): readonly string[] {
  const kept: string[] = [];
  for (const line of lines) {
    if (line.trim() === "+ expected - actual") {
      const last = kept.slice(-maxMessage);
      const from = last.findLastIndex((other) =>
        /^\s*AssertionError\b.*: Expected values to be .*:$/.test(other),
      );
      if (from >= 0 && !last.slice(from).some(isMochaHeadline)) kept.length -= last.length - from - 1;
    }
    kept.push(line);
  }
  return kept;
}

function isMochaHeadline(line: string): boolean {
  return /^\s*\d+\) \S/.test(line);
}

/** vitest prints two single values in the message and again as a difference. */
function vitestMessageOnly(lines: readonly string[]): readonly string[] {
  const kept: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    kept.push(lines[at] ?? "");
    const message = /^\s*AssertionError: (.+)/.exec(lines[at] ?? "")?.[1];
    if (message !== undefined) at += statedDiff(message, lines.slice(at + 1, at + 9));
  }
  return kept;
}

/** Returns the length of the difference that begins `rest` and states two values of the message; 0 if there is none. */
function statedDiff(message: string, rest: readonly string[]): number {
  const [, expected, received, , minus, plus, after = ""] = rest.map((line) => line.trim());
  if (expected !== "- Expected" || received !== "+ Received") return 0;
  const values = [/^- (.+)/.exec(minus ?? "")?.[1], /^\+ (.+)/.exec(plus ?? "")?.[1]];
  const isStated =
    after === "" && values.every((one) => one !== undefined && message.includes(one.replaceAll('"', "'")));
  return isStated ? 6 : 0;
}

const pytestFailures = /^=+ (?:FAILURES|ERRORS) =+$/;

/** The summary of pytest repeats the messages of the failures above it. */
function pytestNamesOnly(lines: readonly string[]): readonly string[] {
  if (!lines.some((line) => pytestFailures.test(line))) return lines;
  return lines.map((line) => line.replace(/^((?:FAILED|ERROR) \S+\.py(?:::\S+)?) - .*/, "$1"));
}
