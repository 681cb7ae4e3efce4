import { decimal, joinSafe, type SafeText, safe } from "../../../base/safe-text.ts";
import { clip, count } from "../../../base/text.ts";
import { type Lift, liftOf } from "../../../memory/learning-actions.ts";
import { compareCounts } from "../../../memory/port/compare-trials.ts";
import { storedText } from "../../../trust/stored-text.ts";
import { readCounts, shareCounts } from "../../project/pooled-lift.ts";
import { type CommandSpec, type OptionValue, withProject } from "../../shell/command.ts";
import { optionalText, printResult, usageError } from "../../shell/io.ts";

/** `ralph memory lift` (LEARN-6). */
export const command: CommandSpec = {
  description:
    "Compares verified outcomes of iterations with learnings, and with each skill, to those without (set with `ralph run --holdout 0.1` or memory.holdout). Failure reports of the same task are never held out.",
  examples: ["ralph memory lift", "ralph memory lift --since 2026-01-01"],
  options: [{ flags: "--since <date>", description: "only iterations since this date" }],
  run: async (session, { options }) => {
    const since = timeOf(options["since"]);
    return withProject(session, {}, async (project) => {
      const { db, loaded } = project;
      const measured = await liftOf(db, since);
      await shareCounts(project).catch(() => undefined);
      const pooled = compareCounts(readCounts());
      printResult(
        session,
        { success: true, ...measured, pooled },
        joinSafe(
          [
            ...renderLift(measured),
            ...renderPooled(pooled),
            ...renderRecords(measured),
            ...renderHivemind(measured),
            ...renderSkills(measured),
          ],
          "\n",
        ),
      );
      const { holdout } = loaded.settings.memory;
      if (!measured.enough && holdout === 0) {
        session.note("hint: run `ralph run --holdout 0.1` to leave learnings out of 10% of iterations");
      }
    });
  },
};

/** Returns a date in the store's time format, because times are compared as text. */
function timeOf(value: OptionValue): string | null {
  const text = optionalText(value);
  if (text === undefined) return null;
  const time = /^\d{4}-\d{2}-\d{2}(?:T|$)/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw usageError(
    `invalid --since ${JSON.stringify(text)}: expected a date`,
    "use a date such as 2026-01-01",
  );
}

function renderLift(measured: Lift): readonly SafeText[] {
  const { enough, difference, attemptsDifference, least } = measured;
  const rows = rowsOf(measured, "with learnings");
  if (!enough || difference === null) {
    return [...rows, safe`not enough data: needs ${least} verified attempts on each side`];
  }
  const { low, high } = difference.interval;
  const caveat = low > 0 || high < 0 ? "" : "; the effect may be zero";
  const tries = attemptsDifference ? within(attemptsDifference, signed) : safe`not enough data`;
  return [
    ...rows,
    safe`lift: ${within(difference)}${caveat}`,
    safe`attempts per task: ${tries}`,
    safe``,
    storedText(measured.method),
  ];
}

/** Returns a line for each side of a comparison. */
function rowsOf(sides: Pick<Lift, "with" | "without">, name: string): readonly SafeText[] {
  return Object.entries({ [name]: sides.with, "held out": sides.without }).map(([label, side]) => {
    const range = side.interval
      ? safe` (95%: ${percent(side.interval.low)} to ${percent(side.interval.high)})`
      : "";
    const rate = side.rate === null ? "–" : safe`${percent(side.rate)}${range}`;
    const perTask = side.attemptsPerTask === null ? "–" : decimal(side.attemptsPerTask, 2);
    return safe`${storedText(label).padEnd(15)} ${safe`${side.attempts}`.padStart(5)} ${side.attempts === 1 ? "attempt" : "attempts"} at ${count(side.tasks, "task")}; verified ${rate}; attempts per finished task ${perTask}`;
  });
}

/** Renders the lift of records of other projects; nothing while no prompt could show any. */
function renderHivemind({ hivemind: compared }: Lift): readonly SafeText[] {
  const { enough, difference, least } = compared;
  if (compared.with.attempts + compared.without.attempts === 0) return [];
  const rows = [safe``, safe`from other projects (hivemind):`, ...rowsOf(compared, "with them")];
  if (!enough || difference === null)
    return [...rows, safe`not enough data: needs ${least} verified attempts on each side`];
  return [...rows, safe`lift: ${within(difference)}`];
}

/** Renders the lift over all of the user's projects; nothing while this is the only one. */
function renderPooled(pooled: ReturnType<typeof compareCounts>): readonly SafeText[] {
  const { projects, difference, ...counts } = pooled;
  if (projects < 2) return [];
  const sides = safe`${counts.shownPassed} of ${counts.shown} attempts with learnings verified, ${counts.heldPassed} of ${counts.held} held out`;
  const lift = difference ? safe`lift: ${within(difference)}` : safe`not enough data`;
  return [safe``, safe`in ${projects} projects: ${sides}; ${lift}`];
}

/** Renders the results of the attempts that were shown each learning. */
function renderRecords({ learnings }: Lift): readonly SafeText[] {
  if (learnings.length === 0) return [];
  const lines = learnings.map(({ id, lesson, shown, passed, failed, helpful, harmful }) => {
    const verdicts = safe`helped ${helpful}, misled ${harmful}`;
    return safe`${storedText(id)} shown ${shown}, passed ${passed}, failed ${failed}; ${verdicts}: ${storedText(clip(`${lesson}`, 60))}`;
  });
  return [safe``, safe`learnings shown most often:`, ...lines];
}

function renderSkills({ skills }: Lift): readonly SafeText[] {
  if (skills.length === 0) return [];
  const lines = skills.map((skill) => {
    const seen = safe`shown ${skill.shown} (${skill.inFull} in full), opened ${skill.loaded}`;
    return safe`${storedText(skill.name)}: ${seen}; ${storedText(skill.figures)}`;
  });
  return [safe``, safe`skills:`, ...lines];
}

const percent = (share: number): SafeText => safe`${decimal(100 * share, 0)}%`;
const signed = (value: number): SafeText => safe`${value < 0 ? "−" : "+"}${decimal(Math.abs(value), 2)}`;
const points = (share: number): SafeText =>
  safe`${share < 0 ? "−" : "+"}${decimal(Math.abs(100 * share), 1)} points`;

function within(
  { value, interval }: NonNullable<Lift["difference"]>,
  shown: (value: number) => SafeText = points,
): SafeText {
  return safe`${shown(value)} (95%: ${shown(interval.low)} to ${shown(interval.high)})`;
}
