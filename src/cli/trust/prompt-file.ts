import { open } from "node:fs/promises";
import { join } from "node:path";
import { carefulRead } from "../../base/careful-files.ts";
import { messageOf, RalphError, systemCode } from "../../base/errors.ts";
import { sha256 } from "../../base/hash.ts";
import { type PromptTemplate, parseTemplate } from "../../context/template.ts";

/** A prompt template, read once so that the approved content is the one used. */
export interface PromptFile {
  readonly path: string;
  readonly name: string;
  readonly text: string;
  readonly sha256: string;
}

const name = ".ralph/prompt.md";
const maxBytes = 1_000_000;

export function promptFilePath(root: string): string {
  return join(root, ".ralph", "prompt.md");
}

/**
 * Reads the project's prompt template; null when it has none. Symbolic links are rejected, because a cloned repository
 * could use one to put a private file into every prompt.
 *
 * @throws RalphError `RALPH_PROMPT_UNREADABLE`
 */
export async function readPromptFile(root: string): Promise<PromptFile | null> {
  const path = promptFilePath(root);
  try {
    const file = await open(path, carefulRead);
    try {
      const stats = await file.stat();
      if (!stats.isFile()) throw unreadable("not a regular file");
      if (stats.size > maxBytes) throw unreadable("larger than 1 MB");
      const bytes = await file.readFile();
      return { path, name, text: bytes.toString("utf8"), sha256: sha256(bytes) };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof RalphError) throw error;
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw unreadable(code === "ELOOP" ? "symbolic links are not allowed here" : messageOf(error));
  }
}

/** Parses the project's template; null without one. Throws `RALPH_PROMPT_SLOT`, `RALPH_PROMPT_TOO_LONG`. */
export function parsePromptFile(file: PromptFile | null): PromptTemplate | null {
  return file && parseTemplate(file.text, file.name);
}

function unreadable(why: string): RalphError {
  return new RalphError("RALPH_PROMPT_UNREADABLE", `cannot read ${name}: ${why}`, {
    hint: "remove it, or replace it with `ralph prompt export --force`",
  });
}
