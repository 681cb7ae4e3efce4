import { type SafeText, safe } from "../../../base/safe-text.ts";
import { count } from "../../../base/text.ts";
import type { LearningView } from "../../../memory/learning-actions.ts";
import type { NamedMemory } from "../../../memory/port/kind-commands.ts";
import { storedLine, storedText } from "../../../trust/stored-text.ts";
import { painter, type Style } from "../../../ui/paint.ts";
import type { Session } from "../../shell/command.ts";

const marks: Readonly<Record<LearningView["status"], readonly [string, Style | null]>> = {
  active: ["●", "good"],
  stale: ["◐", "warn"],
  superseded: ["⇢", null],
  pruned: ["○", null],
  quarantined: ["⊘", "warn"],
};

/** `l-3fa9c1 Use UTC …`. */
export function labelOf({ id, lesson }: NamedMemory): SafeText {
  return safe`${storedText(id)} ${storedLine(lesson, 80)}`;
}

/** Returns true when the learning can be restored. */
export function isArchived({ status }: Pick<LearningView, "status">): boolean {
  return status === "pruned" || status === "superseded";
}

/** Returns a learning as one line that fits the screen. */
export function listLine(session: Session, learning: LearningView, idWidth: number): SafeText {
  const [mark, style] = marks[learning.status];
  const status = safe`${storedText(mark)} ${learning.status}`.padEnd(13);
  const use = usageText(learning).padEnd(9);
  const word = learning.proven ? safe`` : safe`unproven `;
  const left = `${status} ${learning.id.padEnd(idWidth)} ${use} ${word}`;
  const room = session.screen.outIsTerminal ? Math.max(30, session.screen.columns - left.length) : 300;
  const paint = painter(session.screen.colour);
  const text = storedLine(`[${learning.category}] ${learning.lesson}`, room);
  return safe`${style ? paint(style, status) : status} ${storedText(learning.id).padEnd(idWidth)} ${use} ${word}${text}`;
}

/** Returns the verified successes among the judged impressions, such as `3/4 ok`. */
function usageText({ timesShown, shownPassed, shownFailed }: LearningView): SafeText {
  if (timesShown === 0) return safe`unused`;
  return safe`${shownPassed}/${shownPassed + shownFailed} ok`;
}

/** Returns all details of one learning as lines. */
export function renderLearningLines(learning: LearningView): readonly SafeText[] {
  const { provenance, usefulness } = learning;
  const from = [
    provenance.source,
    ...(provenance.origin === null ? [] : [`of ${storedLine(provenance.origin, 80)}`]),
    ...(provenance.task === null ? [] : [`at ${storedLine(provenance.task, 80)}`]),
    ...(provenance.runId === null ? [] : [`in ${storedLine(provenance.runId, 40)}`]),
    ...(provenance.model === null
      ? []
      : [`(${storedLine(`${provenance.agent ?? ""} ${provenance.model}`, 60)})`]),
  ];
  const cited = learning.citations.map(({ path, lines }) => (lines === null ? path : `${path}:${lines}`));
  const rows: readonly (readonly [string, string])[] = [
    ["status", statusLine(learning)],
    ["from", from.join(" ")],
    ["when", storedLine(learning.when, 200)],
    ["topic", storedLine(learning.topic ?? "", 80)],
    ["tags", storedLine(learning.tags.join(", "), 500)],
    ["files", storedLine(learning.files.join(", "), 500)],
    ["cites", storedLine(cited.join(", "), 500)],
    ["fixes", storedLine(learning.fixes.join(", "), 200)],
    ["merged from", learning.derivedFrom.join(", ")],
    ["created", learning.createdAt],
    ["last used", learning.lastUsedAt ?? "never"],
    ["seen", count(learning.timesSeen, "time")],
    [
      "use",
      `shown ${learning.timesShown}, verified ${learning.shownPassed}, failed ${learning.shownFailed}; helped ${learning.saidHelpful}, harmful ${learning.saidHarmful}; usefulness ${usefulness.mean.toFixed(2)} ± ${usefulness.deviation.toFixed(2)}`,
    ],
  ];
  return [
    safe`${storedText(learning.id)}  [${storedLine(learning.category, 60)}]`,
    storedText(learning.lesson),
    ...(learning.detail ? [storedText(learning.detail)] : []),
    safe``,
    ...rows
      .filter(([, value]) => value !== "")
      .map(([name, value]) => safe`  ${storedText(name).padEnd(11)} ${storedLine(value, 1000)}`),
  ];
}

function statusLine({ status, statusBefore, supersededBy, pinned, prunedAt, proven }: LearningView): string {
  const more = [
    ...(proven ? [] : ["(unproven)"]),
    ...(supersededBy === null ? [] : [`by ${supersededBy}`]),
    ...(status === "pruned" && prunedAt !== null ? [`at ${prunedAt}`] : []),
    ...(statusBefore === null || statusBefore === "active" ? [] : [`(was ${statusBefore})`]),
    ...(pinned ? ["(pinned by a person)"] : []),
  ];
  return [status, ...more].join(" ");
}
