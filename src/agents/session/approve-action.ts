import { resolve } from "node:path";
import type { Permission } from "../../base/shared-settings.ts";
import type { AgentRequest } from "../port/agent.ts";
import { contains, isAllowedCommand } from "./judge-command.ts";

/** An action for which an agent asks permission. */
export interface AskedAction {
  /** `own`: a tool of ralph's server, which gives an agent no power that its sigils lack. */
  readonly kind: "own" | "read" | "edit" | "run" | "fetch" | "other";
  /** The command line of `run`; null: unknown. */
  readonly command: string | null;
  /** The files that it concerns; empty: unknown, or none. */
  readonly paths: readonly string[];
}

type Place = Pick<AgentRequest, "cwd" | "tmpDir" | "journal" | "allowedCommands">;

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
      return level === "shell" || (level === "edit" && isAllowedRun(action.command, place));
    case "fetch":
      return level === "shell";
    case "other":
      return false;
  }
}

function isInside(paths: readonly string[], place: Place): boolean {
  const folders = foldersOf(place);
  return paths.every((path) => folders.some((folder) => contains(folder, resolve(place.cwd, path))));
}

function foldersOf({ cwd, tmpDir, journal }: Place): readonly string[] {
  return [cwd, tmpDir, ...(journal ? [journal.folder] : [])];
}

function isAllowedRun(command: string | null, place: Place): boolean {
  const { cwd, allowedCommands: allowed } = place;
  return command !== null && isAllowedCommand(command, { cwd, folders: foldersOf(place), allowed });
}
