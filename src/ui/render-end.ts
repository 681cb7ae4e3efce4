import { clip, oneLine } from "../base/text.ts";
import type { RunEvents } from "../events/run-events.ts";
import { redact } from "../trust/redact.ts";
import { stripControls } from "../trust/terminal.ts";
import type { Paint } from "./paint.ts";

/** The last lines of a run: what came of it, what needs a person, what to type next. */
export function renderEnd(end: RunEvents["run.finished"], paint: Paint): readonly string[] {
  const safe = (text: string, max: number) => clip(stripControls(redact(oneLine(text))), max);
  const cost = end.costUsd === null ? "" : `, $${end.costUsd.toFixed(2)}`;
  const style = end.exitCode === 0 ? "good" : "warn";
  return [
    "",
    `${paint(style, end.exitCode === 0 ? "✓" : "■")} ${safe(end.summary, 400)}${cost}`,
    ...end.needs
      .slice(0, 20)
      .map(({ id, title, reason }) => `  ⊘ ${id} ${safe(title, 60)}: ${safe(reason, 160)}`),
    ...(end.hint ? [`hint: ${safe(end.hint, 300)}`] : []),
  ];
}
