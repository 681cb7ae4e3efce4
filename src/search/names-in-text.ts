/** A word, path, package, file name or dotted name, with its separators. */
const anyName = /(?:@[\w.-]+\/)?[A-Za-z0-9_$][\w$]*(?:[./:-]+[\w$]+)*/g;
/** Marks of a name that a word of a sentence has not: a folder, an extension, inner capitals, an underscore, a digit. */
const isName = [
  /^[\w@.-]*\/[\w./-]+$/,
  /[A-Za-z].*\.\w{1,5}$/,
  /[a-z\d][A-Z]/,
  /\w_\w/,
  /[A-Za-z]\d|\d[A-Za-z]/,
  /^E[A-Z]{5,}$/,
];
const minNameLength = 4;
const maxNameLength = 120;
/** A pasted log may name anything. */
const maxChars = 4000;
const maxNames = 40;

/** Returns the identifiers, files, packages and error codes that a text names, in lower case. */
export function namesIn(text: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [raw] of text.slice(0, maxChars).matchAll(anyName)) {
    if (raw.length < minNameLength || raw.length > maxNameLength) continue;
    if (isName.some((form) => form.test(raw))) names.add(raw.toLowerCase());
    if (names.size >= maxNames) break;
  }
  return names;
}
