import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import type { TaskSource } from "../../tasks/task.ts";

const maxBytes = 8192;
const checkbox = /^\s*(?:[-*+]|\d+[.)])\s+\[.?\]/;
const heading = /^(#{1,6})\s+(.+?)\s*#*$/;

/**
 * Returns what a Markdown task list says before its first item or second heading, as one paragraph; "" for another
 * format, a list without words, and a file that is missing, outside the project or reached through a link.
 */
export async function listIntroduction(root: string, source: TaskSource): Promise<string> {
  if (source.format !== "markdown") return "";
  const words: string[] = [];
  for (const line of plainLines(await firstBytes(root, source.path))) {
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
async function firstBytes(root: string, path: string): Promise<string> {
  const full = join(root, path);
  try {
    if (!(await realpath(full)).startsWith(`${await realpath(root)}${sep}`)) return "";
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    const file = await open(full, flags);
    try {
      if (!(await file.stat()).isFile()) return "";
      const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
      return buffer.toString("utf8", 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    // Moved or unreadable: the prompt works without it.
    return "";
  }
}
