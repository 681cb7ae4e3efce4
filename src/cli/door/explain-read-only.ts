import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { RalphError, systemCode } from "../../base/errors.ts";
import { findProject } from "../../config/find-project.ts";
import type { Invocation } from "../shell/command.ts";
import { insideRule } from "./inside-table.ts";

/**
 * Returns the error of a command that failed in `folder`. Where the project's `.ralph` is on a read-only file system, it failed
 * because it writes, whatever it met first.
 */
export function explainReadOnly(
  error: unknown,
  folder: string,
  path: string,
  invocation: Invocation,
): unknown {
  const rule = insideRule(path, invocation);
  if (rule === "allowed" || rule === "local") return error;
  const store = join(findProject(folder)?.root ?? folder, ".ralph");
  if (!isReadOnly(store)) return error;
  return new RalphError(
    "RALPH_STORE_READ_ONLY",
    `\`ralph ${path}\` cannot write ${store}: it is read-only, as inside the sandbox of a run`,
    { hint: "leave it out of verify and of hooks; outside a run, make it writable", cause: error },
  );
}

function isReadOnly(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return false;
  } catch (error) {
    return systemCode(error) === "EROFS";
  }
}
