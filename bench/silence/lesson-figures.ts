import type { AskedLesson } from "./ask-lessons.ts";

/** Figures of the tasks of one kind or language. */
export interface LessonFigures {
  readonly name: string;
  readonly tasks: number;
  /** Share of the tasks whose lesson ranks among the first three. */
  readonly found: number;
  /** Share of these that are shown nothing. */
  readonly falseSilence: number;
  readonly silenced: number;
}

/** The tasks that no lesson fits. */
export interface NoiseFigures {
  readonly tasks: number;
  /** How many of them are shown a line, and their share. */
  readonly noisy: number;
  readonly noise: number;
}

/** Number of ranks in which an answer counts as found. */
const foundRanks = 3;

/** Returns the figures of all tasks that a lesson fits, by kind, by language, and of those outside English by form. */
export function lessonFigures(asked: readonly AskedLesson[]): readonly LessonFigures[] {
  const own = asked.filter(({ foreign }) => !foreign);
  const groups = new Map<string, AskedLesson[]>([["all", own]]);
  for (const one of own) {
    const { kind, lang, form } = one.task;
    const names = [kind, lang, ...(form === "" ? [] : [`${lang}, inflected, compound or short`])];
    for (const name of names) groups.set(name, [...(groups.get(name) ?? []), one]);
  }
  return [...groups].map(([name, group]) => {
    const found = group.filter(({ ranked }) => ranked.slice(0, foundRanks).includes(true));
    const silenced = found.filter(({ shown }) => shown.length === 0).length;
    return {
      name,
      tasks: group.length,
      found: found.length / group.length,
      falseSilence: silenced / found.length,
      silenced,
    };
  });
}

export function noiseFigures(asked: readonly AskedLesson[]): NoiseFigures {
  const none = asked.filter(({ foreign }) => foreign);
  const noisy = none.filter(({ shown }) => shown.length > 0).length;
  return { tasks: none.length, noisy, noise: noisy / none.length };
}
