const item = /^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(\S.*)$/;

/** The entries of a text that is a list, one a line; a text that is none is one entry; none of an empty one. */
export function listItems(text: string): readonly string[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  const items = lines.map((line) => item.exec(line)?.[1]?.trim());
  const all = items.filter((found) => found !== undefined);
  if (lines.length === 0) return [];
  return all.length === lines.length ? all : [text.trim()];
}

/** The texts behind the boxes (`- [ ]`, `- [x]`) of a Markdown text, but those within code fences. */
export function checkboxes(text: string): readonly string[] {
  return withoutFences(text)
    .split(/\r?\n/)
    .map((line) => /^\s*(?:[-*+]|\d+[.)])\s+\[[ xX]\]\s+(\S.*)$/.exec(line)?.[1]?.trim())
    .filter((found) => found !== undefined);
}

/** The text without its fenced code. A fence that never closes runs to the end. */
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
