import { type Lift, liftOf } from "../../../memory/measure-lift.ts";
import type { CommandSpec } from "../../command.ts";
import { jsonLine } from "../../json-line.ts";
import { withDesk, wordOf } from "./with-desk.ts";

/** `ralph memory lift` (LEARN-6). */
export const lift: CommandSpec = {
  name: "lift",
  summary: "what memory is worth, measured",
  description:
    "Compares iterations that were shown learnings with those that were held out (ralph run --holdout 0.1, or memory.holdout), by verified outcomes. Failure reports of the same task are never held out.",
  examples: ["ralph memory lift", "ralph memory lift --since 2026-01-01"],
  options: [{ flags: "--since <date>", description: "only iterations from then on" }],
  run: (session, { options }) =>
    withDesk(session, {}, async (_, { db, loaded }) => {
      const measured = await liftOf(db, wordOf(options["since"]) ?? null);
      if (session.json) session.out(jsonLine(measured));
      else session.out(draw(measured).join("\n"));
      if (!measured.enough && loaded.settings.memory.holdout === 0) {
        session.note("hint: ralph run --holdout 0.1 leaves learnings out of a tenth of iterations");
      }
      return 0;
    }),
};

function draw(measured: Lift): readonly string[] {
  const { enough, difference, attemptsDifference, least } = measured;
  const rows = (
    [
      ["with learnings", measured.with],
      ["held out", measured.without],
    ] as const
  ).map(([name, side]) => {
    const range = side.interval
      ? ` (95%: ${percent(side.interval.low)} to ${percent(side.interval.high)})`
      : "";
    const rate = side.rate === null ? "–" : `${percent(side.rate)}${range}`;
    const tries = side.attemptsPerTask === null ? "–" : side.attemptsPerTask.toFixed(2);
    return `${name.padEnd(15)} ${String(side.attempts).padStart(5)} attempts at ${side.tasks} tasks; verified ${rate}; attempts per finished task ${tries}`;
  });
  if (!enough || difference === null) {
    return [...rows, `not enough data: ${least} judged attempts are needed on each side`];
  }
  const { value, interval } = difference;
  const sure = interval.low > 0 || interval.high < 0 ? "" : "; it may be none at all";
  const tries = attemptsDifference
    ? [
        `attempts per task: ${signed(attemptsDifference.value)}${attemptsDifference.interval ? ` (95%: ${signed(attemptsDifference.interval.low)} to ${signed(attemptsDifference.interval.high)})` : ""}`,
      ]
    : ["attempts per task: not enough data"];
  return [
    ...rows,
    `lift: ${points(value)} (95%: ${points(interval.low)} to ${points(interval.high)})${sure}`,
    ...tries,
    "",
    measured.method,
  ];
}

const percent = (share: number): string => `${(100 * share).toFixed(0)}%`;
const signed = (value: number): string => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;
const points = (share: number): string =>
  `${share < 0 ? "−" : "+"}${Math.abs(100 * share).toFixed(1)} points`;
