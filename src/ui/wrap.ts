import { type SafeText, safe } from "../base/safe-text.ts";
/** Wraps `text` at words into at most `maxLines` lines of at most `width` characters; a cut text ends with `…`. */
export function wrap(text: SafeText, width: number, maxLines: number): readonly SafeText[] {
  const lines: SafeText[] = [];
  let rest = text.trim();
  while (rest !== "" && lines.length < maxLines) {
    if (rest.length <= width) {
      lines.push(rest);
      return lines;
    }
    const space = rest.lastIndexOf(" ", width);
    const end = space > width / 2 ? space : width;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trim();
  }
  const last = lines.pop();
  return rest === "" || last === undefined ? lines : [...lines, safe`${last.slice(0, width - 1)}…`];
}
