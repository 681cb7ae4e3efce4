import { isShown, type Thresholds } from "../../src/search/fit-probability.ts";
import type { Asked, Condition } from "./ask-stores.ts";

export interface Figures {
  /** Of the tasks with an answer in the first three ranks, the share that is shown nothing. */
  readonly falseSilence: number;
  /** The share of other projects' tasks that is shown nothing. */
  readonly foreignSilence: number;
  /** Lines shown to a task that is shown any. */
  readonly lines: number;
  /** The share of these lines that answer the task. */
  readonly goldShare: number;
  /** Of the answers among the first five of the ranking, the share that is shown. */
  readonly goldsKept: number;
  /** Characters of the lessons that are shown to a task that is shown any. */
  readonly chars: number;
  /** Number of tasks with an answer in the first three ranks, and of other projects' tasks. */
  readonly tasks: number;
  readonly foreignTasks: number;
}

export interface ConditionFigures extends Condition, Figures {
  readonly bySet: Readonly<Record<string, Figures>>;
}

/** Number of ranks in which an answer counts as found. */
const foundRanks = 3;

/** Returns the figures of each condition, over the tasks of all sets and for each set. */
export function figuresOf(asked: readonly Asked[]): readonly ConditionFigures[] {
  const groups = new Map<string, Asked[]>();
  for (const one of asked) {
    const key = JSON.stringify([one.lessons, one.described, one.size]);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()].toSorted(byCondition).map((group) => {
    const sets = [...new Set(group.map(({ set }) => set))];
    const [{ size, lessons, described } = { size: 0, lessons: false, described: false }] = group;
    return {
      size,
      lessons,
      described,
      ...measure(group),
      bySet: Object.fromEntries(sets.map((name) => [name, measure(group.filter(({ set }) => set === name))])),
    };
  });
}

function byCondition([a]: readonly Asked[], [b]: readonly Asked[]): number {
  const order = ({ lessons, described, size }: Asked): number =>
    (lessons ? 0 : 2e6) + (described ? 1e6 : 0) + size;
  return a && b ? order(a) - order(b) : 0;
}

function measure(asked: readonly Asked[]): Figures {
  const own = asked.filter(({ foreign }) => !foreign);
  const foreign = asked.filter((one) => one.foreign);
  const found = own.filter(({ ranked }) => ranked.slice(0, foundRanks).includes(true));
  const speaking = own.filter(({ shown }) => shown.length > 0);
  const lines = speaking.flatMap(({ shown }) => shown);
  const golds = lines.filter(({ gold }) => gold).length;
  const isSilent = ({ shown }: Asked): boolean => shown.length === 0;
  return {
    falseSilence: share(found.filter(isSilent).length, found.length),
    foreignSilence: share(foreign.filter(isSilent).length, foreign.length),
    lines: share(lines.length, speaking.length),
    goldShare: share(golds, lines.length),
    goldsKept: share(golds, own.flatMap(({ first }) => first.filter(({ gold }) => gold)).length),
    chars: share(
      lines.reduce((sum, { chars }) => sum + chars, 0),
      speaking.length,
    ),
    tasks: found.length,
    foreignTasks: foreign.length,
  };
}

/** Returns the mean of each figure over the conditions that have it. */
export function averageOf(figures: readonly Figures[]): Figures {
  const mean = (name: keyof Figures): number => {
    const values = figures.map((one) => one[name]).filter((value) => !Number.isNaN(value));
    return share(
      values.reduce((sum, value) => sum + value, 0),
      values.length,
    );
  };
  return {
    falseSilence: mean("falseSilence"),
    foreignSilence: mean("foreignSilence"),
    lines: mean("lines"),
    goldShare: mean("goldShare"),
    goldsKept: mean("goldsKept"),
    chars: mean("chars"),
    tasks: mean("tasks"),
    foreignTasks: mean("foreignTasks"),
  };
}

const tried = { subject: [0.16, 0.195, 0.22, 0.245, 0.27, 0.3], line: [0, 0.1, 0.124, 0.14] };

export interface CurvePoint extends Figures {
  readonly thresholds: Thresholds;
}

/** Returns the averages that other thresholds would give, each with the other one as it is. */
export function curveOf(asked: readonly Asked[], { subject, line }: Thresholds): readonly CurvePoint[] {
  const points = [
    ...tried.subject.map((one) => ({ subject: one, line })),
    ...tried.line.map((one) => ({ subject, line: one })),
  ];
  return points.map((thresholds) => {
    const decided = asked.map((one) => ({
      ...one,
      shown: one.first.filter(({ fit }) => fit && isShown(one.probability, fit, thresholds)),
    }));
    return { thresholds, ...averageOf(figuresOf(decided)) };
  });
}

const share = (part: number, whole: number): number => (whole === 0 ? Number.NaN : part / whole);
