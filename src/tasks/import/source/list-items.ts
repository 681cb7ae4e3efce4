const item = /^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(\S.*)$/;

/** Returns the items of a text that is a list, one per line; any other text as one item; none for an empty text. */
export function listItems(text: string): readonly string[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  const items = lines.map((line) => item.exec(line)?.[1]?.trim());
  const all = items.filter((found) => found !== undefined);
  if (lines.length === 0) return [];
  return all.length === lines.length ? all : [text.trim()];
}

/** Returns the texts after the checkboxes (`- [ ]`, `- [x]`) of a Markdown text, except within code fences. */
export function checkboxes(text: string): readonly string[] {
  return withoutFences(text)
    .split(/\r?\n/)
    .map((line) => /^\s*(?:[-*+]|\d+[.)])\s+\[[ xX]\]\s+(\S.*)$/.exec(line)?.[1]?.trim())
    .filter((found) => found !== undefined);
}

/** Returns the text without its fenced code. An unclosed fence extends to the end. */
export function withoutFences(text: string): string {
  let fence = "";
  return text
    .split("\n")
    .filter((line) => {
      const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? "";
      if (fence === "") {
        fence = mark;
        return mark === "";
      }
      if (mark.startsWith(fence) && line.trim() === mark) fence = "";
      return false;
    })
    .join("\n");
}
