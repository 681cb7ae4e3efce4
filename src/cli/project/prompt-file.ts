import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, RalphError, systemCode } from "../../base/errors.ts";
import { sha256 } from "../../base/hash.ts";
import { type PromptTemplate, parseTemplate } from "../../context/template.ts";
import type { Session } from "../shell/command.ts";

/** A person's prompt template, as it was read once: what is approved is what is used. */
export interface PromptFile {
  readonly path: string;
  /** For messages: relative to the project. */
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
 * The project's prompt template; null when it has none. No link is followed: one in a repository from elsewhere would put
 * a file of yours into every prompt.
 *
 * @throws RalphError `RALPH_PROMPT_UNREADABLE`
 */
export async function readPromptFile(root: string): Promise<PromptFile | null> {
  const path = promptFilePath(root);
  try {
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    const file = await open(path, flags);
    try {
      const stats = await file.stat();
      if (!stats.isFile()) throw unreadable("it is no file");
      if (stats.size > maxBytes) throw unreadable("it is larger than a megabyte");
      const bytes = await file.readFile();
      return { path, name, text: bytes.toString("utf8"), sha256: sha256(bytes) };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof RalphError) throw error;
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw unreadable(
      code === "ELOOP" ? "it is a symbolic link, and ralph follows none there" : messageOf(error),
    );
  }
}

/**
 * Parses the project's template and warns about slots that this version does not fill; null without a template.
 *
 * @throws RalphError `RALPH_PROMPT_SLOT`, `RALPH_PROMPT_TOO_LONG`
 */
export function parsePromptFile(
  session: Pick<Session, "note">,
  file: PromptFile | null,
): PromptTemplate | null {
  const template = file && parseTemplate(file.text, file.name);
  const ignored = template?.ignoredSlots ?? [];
  if (ignored.length > 0) {
    const [noun, pronoun] = ignored.length === 1 ? ["slot", "it"] : ["slots", "them"];
    session.note(
      `warning: ${name}: ignored ${noun} of features that this version does not have: ${ignored.join(", ")} (remove ${pronoun})`,
    );
  }
  return template;
}

function unreadable(why: string): RalphError {
  return new RalphError("RALPH_PROMPT_UNREADABLE", `cannot read ${name}: ${why}`, {
    hint: `put a file of your own there: ralph prompt export --force; or remove it`,
  });
}
