import { oneLine } from "../../base/text.ts";
import type { RunEvents } from "../../events/run-events.ts";
import { redact } from "../../trust/redact.ts";
import { stripControls } from "../../trust/terminal.ts";
import type { Paint } from "../paint.ts";
import { renderNeeds, renderReport, renderWaiting } from "../render-report.ts";
import { wrap } from "./wrap.ts";

/** Returns the last lines of a run: its result and summary, the tasks that need a person, and a hint. */
export function renderEnd(end: RunEvents["run.finished"], paint: Paint): readonly string[] {
  const safe = (text: string) => stripControls(redact(oneLine(text)));
  const cost = end.costUsd === null ? "" : `, $${end.costUsd.toFixed(2)}`;
  const style = end.exitCode === 0 ? "good" : "warn";
  const [first = "", ...more] = wrap(`${safe(end.summary)}${cost}`, 78, 6);
  return [
    "",
    `${paint(style, end.exitCode === 0 ? "✓" : "■")} ${first}`,
    ...more.map((line) => `  ${line}`),
    ...(end.report ? renderReport(end.report, paint) : []),
    ...renderNeeds(end.needs, paint),
    ...renderWaiting(end.waiting, paint),
    ...(end.hint ? wrap(`hint: ${safe(end.hint)}`, 80, 4) : []),
  ];
}
