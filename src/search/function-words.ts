/** Words that carry no information about a task: most texts contain them, and they would take most of a search's time. */
export const stopWords: ReadonlySet<string> = new Set(
  `a about am an and any are as at be because been being both but by can could did do does doing each either else etc
few for from had has have having he her here hers him his how however i if in into is it its itself just let ll me might
more most much must my nor of off on or other our ours out over own please quite rather re really s shall she should
since so some such t than that the their theirs them then there these they this those through thus to too up upon us ve
very via was we well were what when where whether which while who whom whose why will with would yet you your`.split(
    /\s+/,
  ),
);

interface Language {
  /** Words that identify the language, because English text does not contain them. */
  readonly own: ReadonlySet<string>;
  /** All its function words: some are words of English or of code too, such as `die`, `man` or `no`. */
  readonly all: ReadonlySet<string>;
}

const split = (text: string): readonly string[] => text.split(/\s+/);

function language(own: string, shared: string): Language {
  return { own: new Set(split(own)), all: new Set(split(`${own} ${shared}`)) };
}

const german = language(
  `aber alle allem allen aller alles als andere anderen auch auf aus bei beim bereits bis bzw dabei dadurch dafür
daher damit danach dann daran darauf daraus darf das dass davon dazu dem den denn der deren des deshalb dessen diese
diesem diesen dieser dieses doch dort durch dürfen ein eine einem einen einer eines einige erst etwa für gegen gibt
haben hatte hatten hier ihr ihre ihrem ihren ihrer immer ist jede jedem jeden jeder jedes jedoch jetzt kann kein keine
keinem keinen keiner können könnte mehr mit muss müssen nach nicht nichts noch nur ob obwohl oder ohne schon sehr sein
seine seinem seinen seiner seit sich sie sind sofort sollen sollte sondern sonst soweit über um und unter viel viele vom
von vor wann warum weil welche welcher welches wenn werden wie wieder wird wo worden wurde wurden zu zum zur zwischen`,
  "am an da die er es hat im in man so war was will wir",
);
const spanish = language(
  `algunos antes aunque cada como cuando cual cuales desde donde durante ella ellos en entre era esa ese eso
esta está están estas este esto estos fue había han hasta hay las los más mientras mismo muy nada ni nos nunca otra
otro otros para pero poco por porque pues que qué quien según ser sí siempre sino sobre sólo sus también
tanto tiene tienen toda todas todo todos tras tu una uno unos del el la se y`,
  "a al con de e es ha le les lo me no sin son solo te ya o si su tan un",
);

/** Words read to decide which language a text is in. */
const readWords = 200;

/**
 * Returns the German or Spanish function words if a text is in that language, else none. English words of a text count
 * against both: an error message in German still has its English words.
 */
export function functionWordsIn(tokens: readonly string[]): ReadonlySet<string> | null {
  let [inGerman, inSpanish, inEnglish] = [0, 0, 0];
  for (const token of tokens.length > readWords ? tokens.slice(0, readWords) : tokens) {
    const word = lowerCase(token);
    if (german.own.has(word)) inGerman += 1;
    else if (spanish.own.has(word)) inSpanish += 1;
    else if (stopWords.has(word)) inEnglish += 1;
  }
  if (inGerman > Math.max(inSpanish, inEnglish)) return german.all;
  return inSpanish > Math.max(inGerman, inEnglish) ? spanish.all : null;
}

/** Only the first letter of a function word is ever a capital. */
export function lowerCase(token: string): string {
  const first = token.charCodeAt(0);
  return first >= 65 && first <= 90 ? token.toLowerCase() : token;
}
