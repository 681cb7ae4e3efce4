import type { Token } from "./read-tokens.ts";
import { type Dimension, type RoledToken, setSide } from "./roles.ts";
import { type Clause, splitClauses } from "./split-clauses.ts";
import { cachedStem } from "./word-classes.ts";

/** The tokens of a pattern with their roles, and how many negations it has. A double negation counts as none. */
export interface PatternRoles {
  readonly tokens: readonly RoledToken[];
  readonly negations: number;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));
const auxiliary = words(
  "do does did should must can could will would is are was were be been has have had may might need shall it",
);
const clauseNegators = words(
  "never cannot nobody nothing none neither nor hardly barely avoided forbidden prohibited disallowed",
);
const forwardNegators = words("avoid avoids avoiding without except no refrain not");
const preferring = words("prefer prefers preferred preferring favor favour choose chose chosen");
const restarting = words("use uses used using prefer but by");
const switching = words("switch migrat mov move chang port upgrad");
const converting = words("convert renam turn cast transform chang map");
const replacing = words("replac swap substitut exchang");
const asymmetric = words(
  "overrid call requir need import wrap extend depend return preced shadow block trigger emit own beat includ inherit contain",
);
const objectMarkers = words("by for in");
const intoWords = words("to into");
const replacedBy = words("with by for");
const cut = (word: string): string => cachedStem(word).replace(/e$/, "");

/** Reads which tokens a pattern recommends, rejects, puts first or last, converts from or to. */
export function readRoles(tokens: readonly Token[]): PatternRoles {
  const found: RoledToken[] = [];
  let previous: readonly RoledToken[] = [];
  let negations = 0;
  for (const sentence of splitClauses(tokens)) {
    let prefers = false;
    const read = sentence.map((clause): ReadClause => {
      prefers ||= clause.tokens.some(({ key }) => preferring.has(key));
      return readClause(clause, prefers);
    });
    markStages(read);
    negations += negate(read, previous);
    previous = read.flatMap((clause) => clause.tokens);
    for (const item of previous) found.push(item);
  }
  return { tokens: found, negations };
}

interface ReadClause {
  readonly lead: string;
  readonly tokens: readonly RoledToken[];
  /** The whole clause is negated: `never`, `do not`. */
  negated: boolean;
  negations: number;
  /** The first token that `without` rejects; -1 for none. */
  readonly without: number;
}

function readClause({ lead, tokens }: Clause, prefers: boolean): ReadClause {
  const read = tokens.map((token): RoledToken => ({ token, yes: 1, no: 0 }));
  let negated = false;
  let without = -1;
  let rejects = lead === "unless";
  let negations = rejects ? 1 : 0;
  let since = 0;
  for (const [at, item] of read.entries()) {
    const kind = negationAt(tokens, at, prefers);
    if (kind === "clause") negated = true;
    if (kind === "forward") {
      rejects = true;
      since = at;
      if (item.token.key === "without") without = at;
    }
    if (kind !== null) negations += 1;
    else if (rejects && at > since + 2 && restarting.has(item.token.key)) rejects = false;
    setSide(item, "polarity", !rejects);
  }
  const contrasts = markContrasts(read);
  return { lead, tokens: read, negated, negations: negations + contrasts, without };
}

function negationAt(tokens: readonly Token[], at: number, prefers: boolean): "clause" | "forward" | null {
  const { kind, key } = tokens[at] ?? { kind: "stop", key: "" };
  if (kind !== "word") return null;
  const before = tokens[at - 1]?.key ?? "";
  const negatesClause =
    key.endsWith("n't") || clauseNegators.has(key) || (key === "not" && auxiliary.has(before));
  if (negatesClause) return "clause";
  return forwardNegators.has(key) || contrastsAt(tokens, at, prefers) ? "forward" : null;
}

/** Reports whether the words from here on name what is not to be done: `instead of`, `over`, `from overwriting`. */
function contrastsAt(tokens: readonly Token[], at: number, prefers: boolean): boolean {
  const key = tokens[at]?.key ?? "";
  const before = tokens[at - 1]?.key ?? "";
  const next = tokens[at + 1]?.key ?? "";
  switch (key) {
    case "instead":
      return next === "of";
    case "than":
      return before === "rather";
    case "over":
      return prefers || /^us(?:e|es|ed|ing)$/.test(tokens[at - 2]?.key ?? "");
    case "to":
      return (
        !before.startsWith("prefer") && nearby(tokens, at).some((token) => token.key.startsWith("prefer"))
      );
    case "from":
      return next.endsWith("ing") && keepsAway(nearby(tokens, at));
    default:
      return /^stop(?:s|ped|ping)?$/.test(key) && next.endsWith("ing");
  }
}

/** Returns the last tokens before a place: few, so that a long clause is read in linear time. */
function nearby(tokens: readonly Token[], at: number): readonly Token[] {
  return tokens.slice(Math.max(0, at - 12), at);
}

/** `keeps agents from overwriting` */
function keepsAway(tokens: readonly Token[]): boolean {
  return tokens.some(({ key }) => /^(?:keeps?|kept)$/.test(key));
}

/** Marks what is replaced and converted, the sides of a comparison, and who does what to whom. Returns the rejections. */
function markContrasts(read: readonly RoledToken[]): number {
  // A part of a compound (`locale-dependent`) is no verb.
  const keys = read.map(({ token }) => (token.kind === "word" && token.key === token.form ? token.key : ""));
  const than = keys.indexOf("than");
  if (than >= 0 && keys[than - 1] !== "rather") mark(read, "rank", [0, than, read.length]);
  const acts = findVerb(keys, asymmetric);
  if (acts > 0) {
    const passive = objectMarkers.has(keys[acts + 1] ?? "") && /(?:ed|en)$/.test(keys[acts] ?? "");
    mark(read, "agent", [0, acts, read.length], passive);
  }
  return markReplacement(read, keys) ? 1 : markConversion(read, keys);
}

/** Marks `replace A with B`: A is rejected. */
function markReplacement(read: readonly RoledToken[], keys: readonly string[]): boolean {
  const verb = findVerb(keys, replacing);
  const by = verb < 0 ? -1 : findFrom(keys, replacedBy, verb);
  if (by < 0) return false;
  // `A was replaced with B`
  const [start, end] = by > verb + 1 ? [verb + 1, by] : [0, verb];
  for (const item of read.slice(start, end)) setSide(item, "polarity", false);
  return true;
}

/** Marks `from A to B`. Returns 1 when A is given up for B, otherwise 0. */
function markConversion(read: readonly RoledToken[], keys: readonly string[]): 0 | 1 {
  const from = keys.indexOf("from");
  const target = from < 0 ? -1 : findFrom(keys, intoWords, from);
  if (target >= 0) {
    const moves = findVerb(keys.slice(0, from), switching) >= 0;
    mark(read, moves ? "polarity" : "transit", [from, target, read.length]);
    return moves ? 1 : 0;
  }
  const verb = findVerb(keys, converting);
  const into = verb < 0 ? -1 : findFrom(keys, intoWords, verb);
  if (into >= 0) mark(read, "transit", [verb + 1, into, read.length]);
  return 0;
}

function findFrom(keys: readonly string[], wanted: ReadonlySet<string>, from: number): number {
  return keys.findIndex((key, at) => at >= from && wanted.has(key));
}

/** Returns the place of the first form of these verbs; -1 for none. */
function findVerb(keys: readonly string[], verbs: ReadonlySet<string>): number {
  return keys.findIndex((key) => key !== "" && verbs.has(cut(key)));
}

/** Gives the tokens of the first of two neighboring ranges one side of a dimension, and the others the other. */
function mark(
  read: readonly RoledToken[],
  dimension: Dimension,
  [start, middle, end]: readonly [number, number, number],
  first = false,
): void {
  for (let at = start; at < end; at += 1) {
    const item = read[at];
    if (item) setSide(item, dimension, at < middle ? first : !first);
  }
}

/** Marks what is done first (true) and what later. */
function markStages(sentence: readonly ReadClause[]): void {
  const at = sentence.findIndex(({ lead }) => /^(?:before|after|then|until|unless)$/.test(lead));
  const marked = sentence[at];
  if (!marked) {
    for (const clause of sentence) cancelWithout(clause);
    return;
  }
  const { lead } = marked;
  const mains = sentence.filter((clause, other) => clause.lead === "" || (lead === "then" && other < at));
  const negated = mains.some((clause) => clause.negated);
  if (/^(?:until|unless)$/.test(lead) && !negated) return;
  const early = lead === "after" || (negated && lead !== "then");
  for (const item of marked.tokens) setSide(item, "stage", early);
  if (lead === "unless") affirm(marked);
  for (const main of mains) {
    for (const item of main.tokens) setSide(item, "stage", !early);
    // `not … before`, `not … until`, `not … unless`: an order, not a rejection.
    if (negated && !/^(?:after|then)$/.test(lead)) cancelNegation(main);
  }
}

function cancelNegation(clause: ReadClause): void {
  clause.negated = false;
  clause.negations = 0;
}

/** Makes a rejected clause a recommended one. */
function affirm(clause: ReadClause): void {
  for (const item of clause.tokens) setSide(item, "polarity", true);
  clause.negations = 0;
}

/** `never … without` is an order: what `without` names comes first. */
function cancelWithout(clause: ReadClause): void {
  if (!clause.negated || clause.without < 0) return;
  cancelNegation(clause);
  for (const [at, item] of clause.tokens.entries()) {
    setSide(item, "polarity", true);
    setSide(item, "stage", at > clause.without);
  }
}

/** Applies negations of whole clauses; one without words of its own (`so do not do it`) negates the clause before. */
function negate(sentence: readonly ReadClause[], previous: readonly RoledToken[]): number {
  for (const [at, clause] of sentence.entries()) {
    if (!clause.negated) continue;
    const own = clause.tokens.some(({ token }) => !isPronoun(token.key));
    const subject = own ? clause.tokens : (sentence[at - 1]?.tokens ?? previous);
    for (const item of subject) setSide(item, "polarity", (item.no & 1) === 1);
  }
  return sentence.reduce((sum, { negations }) => sum + negations, 0);
}

const isPronoun = (key: string): boolean =>
  /^(?:do|does|not|never|it|this|that|them|should|must|be|is|can|always|we|you)$|n't$/.test(key);
