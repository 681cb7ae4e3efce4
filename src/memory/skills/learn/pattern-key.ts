import { stem } from "../../../search/stem.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** Words that two wordings of one lesson may differ in. */
const fillers = words(
  `a about actually all also always am an and any are as at be because been being both by can carefully could did do does doing
done each either else ensure ever every everything for further had has have having her here his how however i if important in into
is it its itself just keep let likely make may might must my necessary need now of often on one only or our per please properly
really remember s shall should simply since so some still such sure that the their them themselves there these they this those
through thus to too up upon us usually very via was way we well were what when whenever where whether which while who will with
within would yet you your again recommended require learned discovered noticed found lesson tip use using prefer preferred`,
);
/** Words that turn a lesson around. */
const negators = words(
  "never cannot no nor none nothing neither without avoid avoids avoided avoiding except unless hardly",
);
const auxiliaries = words(
  "do does did should must can could will would is are was were be has have had may might need",
);
/** Words that separate what is recommended from what is not, as `not` does after a word that is no auxiliary. */
const contrasts = words("instead rather over but");
/** Words on whose two sides different things stand: what comes first, what is more, what becomes what. */
const directed = words(
  `before after then until first than from call calls called overrides prefer favor favour choose replace replaced replaces rename
renamed change changed convert converted switch switched migrate migrated move moved copy copied swap increase decrease`,
);

/** A piece of code in backticks, or what stands between white space. */
const piece = /`[^`]+`|[^\s`]+/gu;
/** Marks of code: a sign or digit within, a capital after a small letter, a sign at the beginning. */
const structured =
  /^[.@$-]+[\p{L}\p{N}_]|[\p{L}\p{N}_][_/.:\\*@#&=+]+[\p{L}\p{N}_*]|[\p{Ll}\p{N}]\p{Lu}|\p{N}|^[^\p{L}\p{N}]+$|\(/u;
/** A clause at the beginning that could as well be at the end: `Before a release, run the tests`. */
const leadingClause =
  /^((?:before|after|when|if|for|in|to|between|while|because|since)\b[^,.;:`]*(?:`[^`]*`[^,.;:`]*)?),\s*([^;:.]+)\.?$/i;

/** Longer texts are no sentences: only equal ones are the same. In UTF-16 units. */
const maxChars = 2000;

/** Words between two words or marks that separate lessons, or the sides of one. */
interface Segment {
  readonly lead: string;
  readonly parts: string[];
  /** Its order matters: it has a direction, or several identifiers that are not to be exchanged. */
  isOrdered: boolean;
}

/**
 * Returns a text that is equal for wordings of one lesson: those with the same stems, identifiers, numbers and negation, on the same
 * sides of what separates them. Takes time linear in the length of the text.
 */
export function patternKey(pattern: string): string {
  if (pattern.length > maxChars) return pattern;
  const segments: Segment[] = [segment("")];
  let negations = 0;
  let before = "";
  for (const { form, isCode } of tokensOf(pattern)) {
    if (isCode) addIdentifier(segments, form);
    else if (form === "") segments.push(segment(""));
    else if (isNegation(form, before)) negations += 1;
    else addWord(segments, form, before);
    before = form || before;
  }
  const read = segments.filter(({ parts }) => parts.length > 0);
  if (read.length === 0) return pattern.trim();
  return [negations, ...read.map(keyOf)].join(" ");
}

function segment(lead: string, parts: readonly string[] = []): Segment {
  return { lead, parts: [...parts], isOrdered: parts.length > 0 };
}

function keyOf({ lead, parts, isOrdered }: Segment): string {
  return [lead, ...(isOrdered ? parts : parts.toSorted())].join(" ");
}

/** Yields code, words in lower case, and "" for the end of a clause. */
function* tokensOf(pattern: string): Iterable<{ readonly form: string; readonly isCode: boolean }> {
  const text = pattern.normalize("NFKC").replaceAll("\u2019", "'").replace(leadingClause, "$2 $1");
  for (const [raw] of text.matchAll(piece)) {
    const form = raw.startsWith("`") ? raw.slice(1, -1) : raw.replace(/^["'([]+|[\])"',;:!?.]+$/g, "");
    if (raw.startsWith("`") || structured.test(form)) yield { form, isCode: true };
    else
      for (const word of form.toLowerCase().split("-")) if (word !== "") yield { form: word, isCode: false };
    if (/[,;:.!?]$/.test(raw)) yield { form: "", isCode: false };
  }
}

function addIdentifier(segments: readonly Segment[], form: string): void {
  const last = segments.at(-1);
  if (!last) return;
  last.isOrdered ||= last.parts.some((part) => structured.test(part));
  last.parts.push(form.replace(/^\.|\(+\)?$/g, ""));
}

/** `not` after a word that is no auxiliary separates; elsewhere it negates. */
function isNegation(word: string, before: string): boolean {
  if (word === "not") return before === "" || auxiliaries.has(before);
  return negators.has(word) || word.endsWith("n't");
}

function addWord(segments: Segment[], word: string, before: string): void {
  const found = stem(word.replace(/'s?$/, ""));
  if (word === "not" || contrasts.has(word)) segments.push(segment("\u2260"));
  else if (word === "than" && before === "rather") return;
  else if (directed.has(word)) segments.push(segment("", [found]));
  else if (!fillers.has(word) && !fillers.has(found)) segments.at(-1)?.parts.push(found);
}
