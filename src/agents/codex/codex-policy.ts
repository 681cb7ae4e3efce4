import { isObject, type JsonObject, shownValue } from "../../base/json.ts";
import type { Permission } from "../../base/shared-settings.ts";
import type { AgentRequest } from "../port/agent.ts";
import { isAllowed } from "../session/approve-action.ts";
import { parseShellLine } from "../session/shell-line.ts";

/**
 * The policy of a thread: Codex's own sandbox bounds what runs, and it asks only where a command needs more than that. Nothing
 * for `ask`: the user's own configuration.
 */
const policies: Readonly<Record<Permission, JsonObject>> = {
  plan: { approvalPolicy: "untrusted", sandbox: "read-only" },
  ask: {},
  edit: { approvalPolicy: "on-request", sandbox: "workspace-write" },
  shell: { approvalPolicy: "on-request", sandbox: "workspace-write" },
  bypass: { approvalPolicy: "never", sandbox: "danger-full-access" },
};

/** Returns the parameters of `thread/start` that a level needs, with the folders outside the project that may be written. */
export function threadPolicy(level: Permission, { journal, tmpDir, service }: AgentRequest): JsonObject {
  const folders = [tmpDir, ...(journal ? [journal.folder] : []), ...(service?.folders ?? [])];
  const isBounded = policies[level]["sandbox"] === "workspace-write";
  const config = isBounded ? { sandbox_workspace_write: { writable_roots: folders } } : {};
  return { ...policies[level], config };
}

interface Decision {
  readonly decision: "accept" | "decline";
  /** The refused action, such as `command(npm install)`; null: it was allowed. */
  readonly denied: string | null;
}

/** Answers a request for a command or for changes to files. `item`: the thread's item that it belongs to. */
export function decide(
  { level, request }: { readonly level: Permission; readonly request: AgentRequest },
  method: string,
  item: JsonObject,
): Decision {
  const isCommand = method === "item/commandExecution/requestApproval";
  const command = isCommand ? innerCommand(shownValue(item["command"])) : null;
  const paths = isCommand ? [] : changedPaths(item);
  const allowed = isAllowed(level, { kind: isCommand ? "run" : "edit", command, paths }, request);
  const name = isCommand ? `command(${command})` : `edit(${paths.join(", ") || "?"})`;
  return { decision: allowed ? "accept" : "decline", denied: allowed ? null : name };
}

/** Returns the files of a `fileChange` item. */
export function changedPaths({ changes }: JsonObject): readonly string[] {
  const entries = Array.isArray(changes) ? changes.filter(isObject) : [];
  return entries.map(({ path }) => path).filter((path) => typeof path === "string");
}

/** Returns the script of `/bin/bash -lc '…'`; any other command line stays as it is. */
export function innerCommand(line: string): string {
  const [step, ...more] = parseShellLine(line) ?? [];
  const [program = "", option = "", script, ...rest] = step?.words ?? [];
  const isShell = /^(?:\S*\/)?(?:ba|z|da)?sh$/.test(program) && /^-l?c$/.test(option);
  return isShell && script !== undefined && rest.length === 0 && more.length === 0 ? script : line;
}
