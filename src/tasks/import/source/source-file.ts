// Synchronous calls: a run reads its lists several times in each iteration, and a trip to the thread pool takes longer.
import { readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { messageOf, RalphError, systemCode } from "../../../base/errors.ts";
import type { ListEncoding } from "../../graph/task.ts";
import type { SourceText } from "./imported-task.ts";

const maxBytes = 10 * 1024 * 1024;

/** A decoded task file; a byte order mark stays in the text. */
export interface SourceFile extends SourceText {
  readonly absolute: string;
  /** True: the file is inside the project, so its tasks can be ticked. */
  readonly inside: boolean;
  readonly encoding: ListEncoding;
}

/**
 * Reads the file at `path` (relative to the project's root, or absolute). Errors: RALPH_IMPORT_NOT_FOUND,
 * RALPH_IMPORT_NOT_A_FILE, RALPH_FILE_TOO_LARGE (10 MB), RALPH_IMPORT_NOT_UTF8, RALPH_IMPORT_UNREADABLE.
 */
export async function readSourceFile(projectRoot: string, path: string): Promise<SourceFile> {
  const given = resolve(projectRoot, path);
  const bytes = readBytes(given, path || ".");
  // Resolves links in the folders, so that a file has one path. A link to the file itself keeps its name.
  const absolute = join(realpathSync.native(dirname(given)), basename(given));
  const inRoot = relative(realpathSync.native(projectRoot), absolute);
  const inside = inRoot !== ".." && !inRoot.startsWith(`..${sep}`) && resolve(inRoot) !== inRoot;
  return { path: inRoot.split(sep).join("/"), absolute, inside, ...decode(bytes, path) };
}

function readBytes(absolute: string, path: string): Buffer {
  try {
    const found = statSync(absolute);
    if (!found.isFile()) {
      const what = found.isDirectory() ? "a folder" : "not a regular file";
      const hint = "Name the file in it that holds the tasks.";
      throw new RalphError("RALPH_IMPORT_NOT_A_FILE", `cannot import ${path}: it is ${what}`, { hint });
    }
    if (found.size > maxBytes) {
      const message = `cannot import ${path}: it has ${found.size} bytes; the limit is ${maxBytes}`;
      throw new RalphError("RALPH_FILE_TOO_LARGE", message, { hint: "Split the file." });
    }
    return readFileSync(absolute);
  } catch (error) {
    const code = systemCode(error);
    if (error instanceof RalphError || code === undefined) throw error;
    if (code === "ENOENT" || code === "ENOTDIR") {
      const hint = "Check the path.";
      throw new RalphError("RALPH_IMPORT_NOT_FOUND", `cannot import ${path}: no such file`, {
        hint,
      });
    }
    const hint = "Check the file's permissions.";
    throw new RalphError("RALPH_IMPORT_UNREADABLE", `cannot import ${path}: ${messageOf(error)}`, {
      hint,
      cause: error,
    });
  }
}

/** Returns the bytes of a list's text, a byte order mark included. */
export function encodeList(text: string, encoding: ListEncoding = "utf-8"): Buffer {
  if (encoding === "utf-8") return Buffer.from(text);
  const bytes = Buffer.from(text, "utf16le");
  return encoding === "utf-16be" ? bytes.swap16() : bytes;
}

/** PowerShell and Notepad write UTF-16. Without a byte order mark, the first character, which is ASCII in a list, tells it. */
function encodingOf([first, second]: Buffer): ListEncoding {
  if ((first === 0xff && second === 0xfe) || second === 0) return "utf-16le";
  return (first === 0xfe && second === 0xff) || first === 0 ? "utf-16be" : "utf-8";
}

function decode(bytes: Buffer, path: string): Pick<SourceFile, "text" | "encoding"> {
  const encoding = encodingOf(bytes);
  try {
    return { text: new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes), encoding };
  } catch (cause) {
    const hint = "Save it as UTF-8 in your editor.";
    throw new RalphError(
      "RALPH_IMPORT_NOT_UTF8",
      `cannot import ${path}: it is neither UTF-8 nor UTF-16 text`,
      {
        hint,
        cause,
      },
    );
  }
}
