/** An open Markdown code block: its run of backticks or tildes, and the indentation of its content. */
export interface Fence {
  readonly run: string;
  readonly indent: number;
}

/** Before the run: up to three spaces, then the markers of list items that begin with it. */
const opening = /^ {0,3}((?:(?:[-*+]|\d{1,9}[.)]) +)*)(`{3,}|~{3,})/;
const closing = /^( *)(`{3,}|~{3,})[ \t\r]*$/;

/** Returns the code block that is open after `line`, given the one open before it. An unclosed block runs to the end. */
export function fenceAfter(line: string, open: Fence | null): Fence | null {
  if (!line.includes("```") && !line.includes("~~~")) return open;
  return open ? unlessClosed(line, open) : opened(line);
}

function opened(line: string): Fence | null {
  const [before, markers, run] = opening.exec(line) ?? [];
  if (before === undefined || run === undefined) return null;
  // A backtick after the run makes it code within a sentence.
  if (run.startsWith("`") && line.includes("`", before.length)) return null;
  return { run, indent: markers ? before.length - run.length : 0 };
}

function unlessClosed(line: string, open: Fence): Fence | null {
  const [, indent = "", run = ""] = closing.exec(line) ?? [];
  const closes = run[0] === open.run[0] && run.length >= open.run.length && indent.length <= open.indent + 3;
  return closes ? null : open;
}
