/** Endings of German, Spanish, French, Italian and Portuguese words, without accents. English words are stemmed before (`stem.ts`). */
const endings = new Set(
  `e em en er ern es et est n s st t te ten ter tes test ung ungen lich ig ige igen keit nis
a acion aciones as icion iciones o os an on ar ara aran are ad ada adas ado ador adora adores ados amiento amientos ando aron cion ciones
dad dades ente er eran era ia iendo ieron ir ida idas ido idos imiento imientos ion iones mente or ora ores ron sion siones
ee ees ez ement ements ent eur eurs euse euses if ifs ive ives ique iques tion ateur ateurs aux al
i ato ata ati ate ito ita iti ite uto zione zioni azione azioni amento amenti mento menti tore tori ire
cao coes acao acoes dor dores am em emos amos agem agens ais eis vel veis mentos`.split(/\s+/),
);
const maxEnding = Math.max(...[...endings].map((ending) => ending.length));

/** The shortest stem, and the smallest share of a word that its stem is, in UTF-16 units. */
const minStem = 4;
const minShare = 0.4;

/** Letters that German puts between the parts of a compound. */
const links = ["", "s", "es", "n", "en", "e", "er"];

/** A word that has forms: letters only, and in the alphabet of these endings. */
const hasForms = /^\p{Script=Latin}{5,40}$/u;

/** Reports whether a word may have other forms: it has five Latin letters or more, and no other characters. */
export function mayHaveForms(word: string): boolean {
  return hasForms.test(word);
}

/** Returns the beginning that all forms of a word share: the word without its longest ending. */
export function commonStem(word: string): string {
  const least = Math.max(minStem, Math.ceil(word.length * minShare));
  for (let length = Math.min(maxEnding, word.length - least); length > 0; length -= 1) {
    if (endings.has(word.slice(-length))) return word.slice(0, -length);
  }
  return word;
}

/** Reports whether two words differ only in their endings. */
export function areForms(one: string, other: string): boolean {
  let shared = 0;
  while (shared < one.length && one[shared] === other[shared]) shared += 1;
  if (shared < Math.max(minStem, minShare * Math.max(one.length, other.length))) return false;
  // The shared beginning may hold the start of an ending: `zahlung` and `zahlungen`, `leer` and `leeren`.
  for (let at = shared; at >= Math.max(minStem, shared - 2); at -= 1)
    if (isEnding(one.slice(at)) && isEnding(other.slice(at))) return true;
  return false;
}

const isEnding = (text: string): boolean => text === "" || endings.has(text);

/** Returns the ways to split a word in two parts of four or more letters, with and without letters that link them. */
export function splitsOf(word: string): readonly (readonly [first: string, second: string])[] {
  const found: (readonly [string, string])[] = [];
  for (let at = minStem; at <= word.length - minStem; at += 1) {
    const second = word.slice(at);
    for (const link of links) {
      const first = word.slice(0, at - link.length);
      if (first.length >= minStem && word.startsWith(link, first.length)) found.push([first, second]);
    }
  }
  return found;
}
