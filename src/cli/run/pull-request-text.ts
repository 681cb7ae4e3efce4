import { formatDuration } from "../../base/duration.ts";
import { type SafeText, safe } from "../../base/safe-text.ts";
import type { RunEvents } from "../../events/run-events.ts";
import type { RunReport } from "../../events/run-summary.ts";
import { safeLine, safeText } from "../../trust/safe-text.ts";
import { costText } from "../../view/cost.ts";

interface Facts {
  readonly end: RunEvents["run.finished"];
  /** Of all runs on the branch, oldest first. */
  readonly reports: readonly RunReport[];
  readonly verify: readonly string[];
}

const maxItems = 50;

/** Returns the title of a pull request and its body in Markdown: what was done, what verified it, what needs a person, its cost. */
export function pullRequestText({ end, reports, verify }: Facts): {
  readonly title: SafeText;
  readonly body: SafeText;
} {
  const titles = new Map(reports.flatMap(({ tasks }) => tasks.map(({ id, title }) => [id, title] as const)));
  const commits = reports.flatMap((report) => report.commits);
  const done = [...new Set(commits.map(({ taskId }) => taskId))];
  const titleOf = (id: string): string => titles.get(id) ?? id;
  const [first = "", ...more] = done.map(titleOf);
  const title = safeLine(more.length === 0 ? first : `${first}, and ${more.length} more`, 200);
  const spent = reports.flatMap(({ byModel }) => byModel);
  const usd = spent.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
  const isKnown = spent.some(({ costUsd }) => costUsd !== null);
  const cost = isKnown
    ? costText(
        usd,
        2,
        spent.some(({ estimatedUsd }) => estimatedUsd > 0),
      )
    : "unknown";
  const time = formatDuration(reports.reduce((sum, { agentMs }) => sum + agentMs, 0));
  const left = end.tasks.pending;
  const lines = [
    ...section(
      "Done",
      done.map(
        (id) =>
          `${markdown(titleOf(id))} (${commits
            .filter(({ taskId }) => taskId === id)
            .map(({ hash }) => hash.slice(0, 9))
            .join(", ")})`,
      ),
    ),
    ...section(
      "Verified by",
      verify.map((command) => code(command)),
    ),
    ...section(
      "Needs a person",
      end.needs.map(({ id, title: what, reason }) => `${markdown(`${id} ${what}`)}: ${markdown(reason)}`),
    ),
    ...section(
      "Warnings",
      reports.flatMap(({ warnings }) => warnings.map(({ taskId, text }) => markdown(`${taskId}: ${text}`))),
    ),
    ...(left > 0
      ? [
          `${left} ${left === 1 ? "task is" : "tasks are"} left: run \`ralph run --pr\` on this branch to continue.`,
          "",
        ]
      : []),
  ];
  const body = safe`${safeText(lines.join("\n"))}\nCost: ${cost}, ${time} in agents and verification.\n`;
  return { title: title === "" ? safe`Work of ralph` : title, body };
}

function section(name: string, items: readonly string[]): readonly string[] {
  if (items.length === 0) return [];
  const rest = items.length - maxItems;
  const shown = items.slice(0, maxItems).map((item) => `- ${item}`);
  return [`## ${name}`, "", ...shown, ...(rest > 0 ? [`- … and ${rest} more`] : []), ""];
}

/** Returns outside text on one line, without what Markdown or GitHub would act on: links, images, HTML, mentions. */
function markdown(text: string): string {
  return safeLine(text, 300)
    .replaceAll(/[\\`*_[\]<>]/g, (mark) => `\\${mark}`)
    .replaceAll("@", "@<!-- -->");
}

function code(text: string): string {
  const line = safeLine(text, 200);
  return line.includes("`") ? markdown(line) : `\`${line}\``;
}
