import { closeSync, fstatSync, openSync, readSync, realpathSync } from "node:fs";
import { join, sep } from "node:path";
import { carefulRead } from "../../base/careful-files.ts";
import type { TaskSource } from "../../tasks/graph/task.ts";

const maxBytes = 8192;
const checkbox = /^\s*(?:[-*+]|\d+[.)])\s+\[.?\]/;
const heading = /^(#{1,6})\s+(.+?)\s*#*$/;

/**
 * Returns what a Markdown task list says before its first item or second heading, as one paragraph; "" for another
 * format, a list without words, and a file that is missing, outside the project or reached through a link.
 */
export function listIntroduction(root: string, source: TaskSource): string {
  if (source.format !== "markdown") return "";
  const words: string[] = [];
  for (const line of plainLines(firstBytes(root, source.path))) {
    const title = heading.exec(line)?.[2];
    if (checkbox.test(line) || (title !== undefined && words.length > 0)) break;
    if (title !== undefined) words.push(`${title}:`);
    else if (line.trim() !== "") words.push(line.trim());
  }
  return words.join(" ").replace(/:$/, "");
}

/** Returns the lines without front matter and comments. */
function plainLines(text: string): readonly string[] {
  return text
    .replace(/^\uFEFF?---\r?\n[\s\S]*?\n---[ \t]*\r?\n/, "")
    .replace(/<!--[\s\S]*?(?:-->|$)/g, "")
    .split(/\r?\n/);
}

/** Reads the beginning of a regular file of the project. An agent may have put a link in its place. */
function firstBytes(root: string, path: string): string {
  const full = join(root, path);
  try {
    if (!realpathSync.native(full).startsWith(`${realpathSync.native(root)}${sep}`)) return "";
    const file = openSync(full, carefulRead);
    try {
      if (!fstatSync(file).isFile()) return "";
      const buffer = Buffer.alloc(maxBytes);
      return buffer.toString("utf8", 0, readSync(file, buffer, 0, maxBytes, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    // Moved or unreadable: the prompt works without it.
    return "";
  }
}
