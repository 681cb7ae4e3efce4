import { isAbsolute, relative, resolve } from "node:path";
import type { Permission } from "../../base/shared-settings.ts";
import type { AgentRequest } from "../port/agent.ts";

/** An action for which an agent asks permission. */
export interface AskedAction {
  /** `own`: a tool of ralph's server, which gives an agent no power that its sigils lack. */
  readonly kind: "own" | "read" | "edit" | "run" | "fetch" | "other";
  /** The command line of `run`; null: unknown. */
  readonly command: string | null;
  /** The files that it concerns; empty: unknown, or none. */
  readonly paths: readonly string[];
}

type Place = Pick<AgentRequest, "cwd" | "tmpDir" | "journal" | "verifyCommands">;

/**
 * Answers for the person who is not there: each level allows more than the one before
 * (docs/decisions/0006-what-claude-code-may-do.md). `edit` and `shell` allow changes in the project, the iteration's
 * folder and the journal's folder.
 */
export function isAllowed(level: Permission, action: AskedAction, place: Place): boolean {
  if (level === "bypass") return true;
  const changes = level === "edit" || level === "shell";
  switch (action.kind) {
    case "own":
      return true;
    case "read":
      return isInside(action.paths, place);
    case "edit":
      return changes && isInside(action.paths, place);
    case "run":
      return level === "shell" || (level === "edit" && verifies(action.command, place.verifyCommands));
    case "fetch":
      return level === "shell";
    case "other":
      return false;
  }
}

function isInside(paths: readonly string[], { cwd, tmpDir, journal }: Place): boolean {
  const folders = [cwd, tmpDir, ...(journal ? [journal.folder] : [])];
  return paths.every((path) => folders.some((folder) => contains(folder, resolve(cwd, path))));
}

function contains(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith("../") && !isAbsolute(way);
}

/** Signs by which a command line is more than one command, or writes a file. */
const joins = /[&|;<>`\n\r]|\$\(/;

/** Checks whether a command is one of those that verify the work, with any further arguments. */
function verifies(command: string | null, verifyCommands: readonly string[]): boolean {
  const line = command?.trim() ?? "";
  return verifyCommands.some((verify) => {
    const allowed = verify.trim();
    if (allowed === "" || line === allowed) return line !== "" && line === allowed;
    return line.startsWith(`${allowed} `) && !joins.test(line.slice(allowed.length));
  });
}
