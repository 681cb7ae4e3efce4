import { replaceSafe, type SafeText, safe } from "../../base/safe-text.ts";
import { clip } from "../../base/text.ts";

interface TitleParts {
  /** The first sentence, at most the wanted length, without its full stop. */
  readonly first: SafeText;
  /** The text that the first part lacks; "" if that is nothing but a full stop. */
  readonly rest: SafeText;
}

/** A sentence's end: a capital, a digit or an opening quote follows. */
const sentenceEnd = /[.!?](?=\s+["'`([\p{Lu}\p{N}])/gu;
const abbreviation = /(?:^|\s)(?:e\.g|i\.e|etc|vs|cf|no|approx|incl|[A-Za-z])\.$/i;
/** A sentence below this is a label such as "1." or "Fix." and stays with the next one. */
const minSentence = 10;
/** Below this much room the title is cut by the caller instead. */
const minRoom = 20;

/** Splits a title of one line into its first sentence, cut at a word to at most `max` characters, and the rest. */
export function splitTitle(title: SafeText, max: number): TitleParts {
  const room = Math.max(max, minRoom);
  const end = endOfFirstSentence(title);
  const stopped = title.slice(0, end);
  const sentence = /(?<!\.)\.$/.test(stopped) ? stopped.slice(0, -1) : stopped;
  if (sentence.length <= room) return { first: sentence, rest: title.slice(end).trim() };
  const space = title.lastIndexOf(" ", room - 1);
  if (space < room / 2) return { first: clip(sentence, room), rest: title };
  return {
    first: safe`${replaceSafe(title.slice(0, space), /[\s,;:–—-]+$/, () => safe``)}…`,
    rest: safe`…${title.slice(space + 1)}`,
  };
}

function endOfFirstSentence(title: string): number {
  for (const { index } of title.matchAll(sentenceEnd)) {
    const end = index + 1;
    if (end >= minSentence && !abbreviation.test(title.slice(0, end))) return end;
  }
  return title.length;
}
