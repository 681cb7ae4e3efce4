/** `text` without NUL and with lone surrogates replaced: what every database and pipe carries unchanged. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll("\0", "");
}

/** At most `max` UTF-16 units of `text`, never half a surrogate pair, with `…` in place of what was cut. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  if (max <= 0) return "";
  const cut = text.slice(0, max - 1);
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

/** `text` on one line: runs of white space become one space. */
export function oneLine(text: string): string {
  // Most texts are one line already, and lists ask this of thousands.
  return (/\s{2}|[^\S ]/.test(text) ? text.replace(/\s+/g, " ") : text).trim();
}

/** `1 task`, `2 tasks`. */
export function count(n: number, noun: string, plural = `${noun}s`): string {
  return `${n} ${n === 1 ? noun : plural}`;
}
