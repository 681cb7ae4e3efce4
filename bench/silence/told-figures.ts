import type { DataSet } from "../retrieval/data-set.ts";

/** What one task is told. */
export interface Told {
  readonly lang: string;
  /** No lesson fits it. */
  readonly foreign: boolean;
  /** For each line that its prompt shows, whether it is one of the answers. */
  readonly lines: readonly boolean[];
}

/** Shares of the tasks that a lesson fits, but `noise` of those that none fits, `rightLines` of the lines shown to these, and `rightOfAll` of those shown to any. */
export interface ToldFigures {
  readonly name: string;
  readonly tasks: number;
  readonly none: number;
  readonly right: number;
  readonly wrongOnly: number;
  readonly silent: number;
  readonly noise: number;
  readonly rightLines: number;
  readonly rightOfAll: number;
}

/** Returns the figures of all tasks and of each language. */
export function toldFigures(told: readonly Told[]): readonly ToldFigures[] {
  const names = [...new Set(told.map(({ lang }) => lang))].sort();
  return [
    figuresOf("all", told),
    ...names.map((name) =>
      figuresOf(
        name,
        told.filter(({ lang }) => lang === name),
      ),
    ),
  ];
}

function figuresOf(name: string, told: readonly Told[]): ToldFigures {
  const own = told.filter(({ foreign }) => !foreign);
  const none = told.filter(({ foreign }) => foreign);
  const share = (part: readonly unknown[], whole: readonly unknown[]): number => part.length / whole.length;
  const linesOf = (asked: readonly Told[]): readonly boolean[] => asked.flatMap(({ lines }) => lines);
  const rightOf = (lines: readonly boolean[]): number => share(lines.filter(Boolean), lines);
  return {
    name,
    tasks: own.length,
    none: none.length,
    right: share(
      own.filter((one) => one.lines.includes(true)),
      own,
    ),
    wrongOnly: share(
      own.filter((one) => one.lines.length > 0 && !one.lines.includes(true)),
      own,
    ),
    silent: share(
      own.filter((one) => one.lines.length === 0),
      own,
    ),
    noise: share(
      none.filter((one) => one.lines.length > 0),
      none,
    ),
    rightLines: rightOf(linesOf(own)),
    rightOfAll: rightOf(linesOf(told)),
  };
}

/** The share of tasks that a scripted chooser gets wrong. */
const errors = 0.1;
const maxChosen = 5;

/** Returns what a chooser tells that picks the answers, and in a tenth of the tasks one lesson at random. */
export function chooseByLabels(set: DataSet, random: () => number): readonly Told[] {
  const tasks = [...set.queries, ...set.unanswered];
  return tasks.map(({ lang, relevant }) => {
    const foreign = relevant.size === 0;
    if (random() >= errors)
      return { lang, foreign, lines: [...relevant.keys()].slice(0, maxChosen).map(() => true) };
    const drawn = set.documents[Math.floor(random() * set.documents.length)];
    return { lang, foreign, lines: [drawn !== undefined && relevant.has(drawn.id)] };
  });
}
