/** `text` in lines of at most `width` characters, cut between words where there are any; at most `most` lines. */
export function wrap(text: string, width: number, most: number): readonly string[] {
  const lines: string[] = [];
  let rest = text.trim();
  while (rest !== "" && lines.length < most) {
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
