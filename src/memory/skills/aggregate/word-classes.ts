import { stem } from "../../../search/stem.ts";

/** Words that two wordings of one lesson may differ in. Negations, numbers and words of order are not among them. */
const fillers = new Set(
  `a about actually also always am an and any anyhow are as at be because been being best better both but by can careful
carefully certain consider could did do does doing done each either else ensure etc ever every everything few first for from
further good great had has have having he her here him his how however i if important in inside instead into is it its itself
just keep let likely made make making may me might mind must my necessarily necessary need needed needs note now of often
on onto one only or our out over per please properly quite rather really remember remembered s shall she should simply
since so some still such sure t than that the their them themselves then there these they thing this those though through
thus to too up upon us usually ve very via was way we well were what when whenever where whether which while who whose
why will with within would yet you your anyway again all again's order whatever afterwards ahead beforehand prior
whereas indeed especially particularly recommended recommend worth otherwise again crucial essential mandatory help helps helped everywhere throughout learned
discovered noticed realized found lesson tip ie eg`.split(/\s+/),
);

/** Words that a reader takes for the same in a lesson about code. The first of a line stands for all. */
const synonyms = `
delete remove erase strip removal deletion
check verify confirm validate
fix solve resolve repair
fail break failure
clear invalidate purge
create add adding introduce
change modify edit update alter adjust
start launch begin
run execute rerun
install reinstall
build rebuild rebuilt
generate regenerate
show display
increase raise bump
decrease reduce lower
store save persist
put place
allow permit
call invoke
parameter param argument arg
directory dir folder
repository repo
config configuration configure
database db
environment env
dependency dep
variable var
application app
documentation docs doc
function fn func
maximum max
minimum min
identifier id
message msg
regex regexp
asynchronous async
synchronous sync
wrong incorrect
large big
entire whole
missing absent
skip ignore omit
contain include
finish complete end
happen occur
limit cap restrict
silence suppress
pass provide supply
enable activate
disable deactivate
wrap enclose surround
parallel concurrent concurrently simultaneously
library lib
package pkg
production prod
development dev
command cmd
automatic automatically auto
fast quick quickly
retrieve fetch get
convert transform conversion
half halve halved halving
use usage utilize utilise prefer choose pick adopt employ leverage favor favour opt switch migrate replace swap try
register registration
compare comparison
overwrite overwritten overwrote
rewrite rewritten rewrote
behavior behaviour
quote quoted quoting`;

/** Phrases that are one word elsewhere, in lower case. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [/\b(?:turn|switch)(?:ed|ing|s)? (?:it |them |this )?on\b/g, "enable"],
  [/\b(?:turn|switch)(?:ed|ing|s)? (?:it |them |this )?off\b/g, "disable"],
  [/\blook(?:ed|ing|s)? at\b/g, "check"],
  [/\bin (?:place|lieu) of\b|\bas opposed to\b/g, "instead of"],
  [/\bregular expression/g, "regex"],
  [/\bpull request/g, "pr"],
  [/\btype-?checks?\b/g, "type check"],
  [/\btypecheck(?=ing|ed|er)/g, "type check"],
  [/\bset-?up\b/g, "set up"],
  [/\bstart-?up\b/g, "startup"],
  [/\btime-?outs?\b/g, "timeout"],
  [/\bcode ?base\b/g, "code"],
  [/\bfile ?name/g, "file name"],
  [/\bas soon as\b/g, "after"],
  [/\b(?:do not|don't|never) forget (?:to )?/g, ""],
  [/\b(?:under|less than|fewer than)(?= \d)/g, "below"],
  [/\b(?:over|more than)(?= \d)/g, "above"],
  [/\b(?:all|every|everyone|everybody|everything|anything) but\b/g, "except"],
  [/\bprior to\b/g, "before"],
  [/\brun out\b|\bruns out\b/g, "exhaust"],
];

/** Words that hardly narrow a lesson down: one text may have them and the other not. */
const generic = lazyStems(
  "file code project function method module value case time new own app application require class work correct call component line",
);
const lightVerbs = lazyStems("use set go keep");
/** Words whose absence changes the meaning, however long the text. */
const decisive = lazyStems(
  `off down non less fewer least most more below above maximum minimum true false null empty outside last second
third twice enable disable true false`,
);

const synonymClasses = whenNeeded(
  () =>
    new Map(
      synonyms
        .trim()
        .split("\n")
        .flatMap((line) => {
          const [head = "", ...others] = line.split(" ").map(stem);
          return others.map((word) => [word, head] as const);
        }),
    ),
);

function lazyStems(words: string): () => ReadonlySet<string> {
  return whenNeeded(() => new Set(words.split(/\s+/).map(stem)));
}

/** Most commands load this file and stem nothing. */
function whenNeeded<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** The stems of verbs whose British spelling has an s. */
const british =
  /^((?:de|re|un)?(?:author|normal|optim|organ|initial|serial|sanit|parametr|synchron|custom|final|minim|maxim|recogn|token|summar|memo|local|central|visual)i)s(?=e|i|a)/;

/** How much a word says about the lesson. */
export type WordWeight = "generic" | "light-verb" | "plain" | "decisive";

/** Stems of recent words: stemming takes most of the time otherwise. */
const cache = new Map<string, string>();
const maxCached = 20_000;

/** Returns the stem of a lower-case word. */
export function cachedStem(word: string): string {
  const known = cache.get(word);
  if (known !== undefined) return known;
  if (cache.size >= maxCached) cache.clear();
  const found = stem(word.replace(british, "$1z"));
  cache.set(word, found);
  return found;
}

/** Returns the stem that stands for a lower-case word and its synonyms; "" for a filler. */
export function wordStem(word: string): string {
  if (fillers.has(word)) return "";
  const found = cachedStem(word);
  return synonymClasses().get(found) ?? found;
}

/** Returns how much a stem of `wordStem` says about the lesson. */
export function weightOf(found: string): WordWeight {
  if (decisive().has(found)) return "decisive";
  if (lightVerbs().has(found)) return "light-verb";
  return generic().has(found) ? "generic" : "plain";
}

/** Replaces phrases by the word that means the same; lower-case letters only. */
export function replacePhrases(text: string): string {
  return phrases.reduce((read, [phrase, by]) => read.replace(phrase, by), text);
}
