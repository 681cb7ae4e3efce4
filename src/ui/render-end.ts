import { type SafeText, safe } from "../base/safe-text.ts";
import { count } from "../base/text.ts";
import type { RalphEvent } from "../events/event.ts";
import type { RunEvents } from "../events/run-events.ts";
import { safeLine } from "../trust/safe-text.ts";
import { costText } from "../view/format.ts";
import type { Paint } from "./paint.ts";
import { estimatedOf, renderNeeds, renderReport, renderWaiting, wrap } from "./render-report.ts";

/** A person reads the end of a night on one screen. */
const maxLines = 20;

/** Returns the last lines of a run: its result and summary, the tasks that need a person, and a hint. */
export function renderEnd(
  end: RunEvents["run.finished"] & Pick<RalphEvent, "jobId">,
  paint: Paint,
  { columns, hints }: { readonly columns: number; readonly hints: boolean },
): readonly SafeText[] {
  const short = { width: columns, short: true };
  const run = safeLine(end.jobId ?? "");
  const cost =
    end.costUsd === null
      ? ""
      : safe`, ${costText(end.costUsd, 2, end.report !== null && estimatedOf(end.report) > 0)}`;
  const style = end.exitCode === 0 ? "good" : "warn";
  const [first = safe``, ...more] = wrap(safe`${safeLine(end.summary)}${cost}`, columns - 2, 6);
  const before = [
    safe`${paint(style, end.exitCode === 0 ? "✓" : "■")} ${first}`,
    ...more.map((line) => safe`  ${line}`),
  ];
  const after = [
    ...renderNeeds(end.needs, paint, short),
    ...renderWaiting(end.waiting, paint, columns),
    ...(end.notImported ?? []).flatMap(({ path, items }) =>
      wrap(
        safe`${count(items, "open item")} of ${safeLine(path)} ${items === 1 ? "is" : "are"} not imported: ralph task sync`,
        columns - 4,
        2,
      ).map((line, at) => (at === 0 ? safe`  ${paint("dim", "…")} ${line}` : safe`  ${line}`)),
    ),
    ...landed(end),
    ...(hints && end.report
      ? [safe`  ${paint("dim", "report")}      ralph report ${run} --html report.html`]
      : []),
    ...(end.hint && hints ? wrap(safe`hint: ${safeLine(end.hint)}`, columns, 4) : []),
  ];
  const report = end.report ? renderReport(end.report, paint, short) : [];
  const room = maxLines - before.length - after.length;
  if (report.length <= room) return [safe``, ...before, ...report, ...after];
  const rest = safe`  ${paint("dim", safe`… ralph log ${run} shows the rest`)}`;
  return [safe``, ...before, ...report.slice(0, Math.max(1, room - 1)), rest, ...after];
}

/** Returns how to take what workers landed on a branch of their own. */
function landed({ landedOn, take, report }: RunEvents["run.finished"]): readonly SafeText[] {
  const commits = report?.commits.length ?? 0;
  if (landedOn === undefined || take === undefined || commits === 0) return [];
  const branch = safeLine(landedOn, 200);
  return [safe`  ${count(commits, "commit")} on ${branch}; to take them: ${safeLine(take, 200)}`];
}
