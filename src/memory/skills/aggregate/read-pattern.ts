import { readRoles } from "./read-roles.ts";
import { readTokens, type Token } from "./read-tokens.ts";
import { isRejected, type Sides } from "./roles.ts";
import { weightOf, wordStem } from "./word-classes.ts";

/** A pattern's content, in the form in which two of them are compared. */
export interface Pattern {
  /** Equal for wordings that differ in white space, quotes and capitals only. */
  readonly key: string;
  /** Patterns of different buckets never are the same lesson: their numbers, structured identifiers or negation differ. */
  readonly bucket: string;
  /** Stems and whole identifiers with their weight. */
  readonly weights: ReadonlyMap<string, number>;
  readonly total: number;
  /** The forms of each identifier, by its lower-case form. */
  readonly identifiers: ReadonlyMap<string, ReadonlySet<string>>;
  /** Every token, in lower case. */
  readonly written: ReadonlySet<string>;
  readonly roles: ReadonlyMap<string, Sides>;
  readonly negations: number;
  /** For each number, the stems beside it. */
  readonly numbers: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Weight of a generic word; of a plain word; of an identifier or number. */
const weight = { generic: 0.3, "light-verb": 0.4, plain: 1, decisive: 1 };
const wholeWeight = 2;
/** Words of negation and order, whose meaning is in the roles. */
const roleWords =
  /^(?:not|never|cannot|no|nor|none|without|avoid|avoids|avoiding|avoided|except|unless|before|after|then|once|until|stop|prohibited|forbidden|neither)$|n't$/;

/** Longer texts are no sentences: only equal ones are the same. In UTF-16 units. */
const maxChars = 2000;

/** Reads a pattern. Takes time linear in the length of the text. */
export function readPattern(text: string): Pattern {
  return text.length > maxChars ? { ...readSentence(""), key: text } : readSentence(text);
}

function readSentence(text: string): Pattern {
  const tokens = readTokens(text);
  const { tokens: roled, negations } = readRoles(tokens);
  const weights = new Map<string, number>();
  const roles = new Map<string, Sides>();
  const decisive = new Set<string>();
  for (const { token, yes, no } of roled) {
    for (const part of stemsOf(token)) {
      const isWhole = !/^[a-z]+$/.test(part);
      const kind = isWhole ? "decisive" : weightOf(part);
      if (kind === "decisive") decisive.add(part);
      weights.set(part, isWhole ? wholeWeight : weight[kind]);
      const known = roles.get(part);
      roles.set(part, { yes: yes | (known?.yes ?? 0), no: no | (known?.no ?? 0) });
    }
  }
  const rejects = [...roles.values()].some(isRejected);
  return {
    key: tokens.map(({ form }) => form).join(" "),
    bucket: [rejects ? "-" : "+", ...[...decisive].sort()].join(" "),
    weights,
    total: sum(weights.values()),
    identifiers: identifiersOf(tokens),
    written: new Set(tokens.flatMap(({ key, form }) => [key, form.toLowerCase()])),
    roles,
    negations,
    numbers: numbersOf(tokens),
  };
}

function identifiersOf(tokens: readonly Token[]): ReadonlyMap<string, ReadonlySet<string>> {
  const identifiers = new Map<string, Set<string>>();
  for (const { kind, key, form } of tokens) if (kind === "identifier") addTo(identifiers, key, form);
  return identifiers;
}

/** Returns the stems of a token; none for a filler or a word of negation. */
function stemsOf({ kind, key }: Token): readonly string[] {
  if (kind === "number") return [key];
  if (kind === "word" && roleWords.test(key)) return [];
  if (kind === "identifier" && !/^[a-z]+(?:-[a-z]+)*$/.test(key)) return [key];
  return key
    .split("-")
    .map(wordStem)
    .filter((part) => part !== "");
}

/** Returns the numbers with the stems that stand between the same commas and conjunctions. */
function numbersOf(tokens: readonly Token[]): ReadonlyMap<string, ReadonlySet<string>> {
  const numbers = new Map<string, Set<string>>();
  let beside: string[] = [];
  let found: string[] = [];
  const end = (): void => {
    for (const number of found) for (const part of beside) addTo(numbers, number, part);
    beside = [];
    found = [];
  };
  for (const token of tokens) {
    if (token.key === "" || (token.kind === "word" && /^(?:and|with|after|but|or)$/.test(token.key))) end();
    else if (token.kind === "number") found.push(token.key);
    else for (const one of stemsOf(token)) beside.push(one);
  }
  end();
  return numbers;
}

function addTo(map: Map<string, Set<string>>, key: string, value: string): void {
  const known = map.get(key);
  if (known) known.add(value);
  else map.set(key, new Set([value]));
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
