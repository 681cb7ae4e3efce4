/** Wraps `text` at words into at most `maxLines` lines of at most `width` characters; a cut text ends with `…`. */
export function wrap(text: string, width: number, maxLines: number): readonly string[] {
  const lines: string[] = [];
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
  return rest === "" || last === undefined ? lines : [...lines, `${last.slice(0, width - 1)}…`];
}
