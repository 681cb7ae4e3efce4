import { homedir } from "node:os";
import { relative, sep } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { joinSafe, type SafeText, safe } from "../../../base/safe-text.ts";
import { clip } from "../../../base/text.ts";
import { readEnv } from "../../../config/environment.ts";
import { safeJson, safeLine, safeText } from "../../../trust/safe-text.ts";
import type { CommandSpec, Session } from "../../shell/command.ts";
import { usageError } from "../../shell/io.ts";
import {
  type Connection,
  type ConnectionPlan,
  type ConnectTarget,
  readConnection,
  writeConnection,
} from "./connection.ts";
import { applyChanges, type FileChange, removeEmptyFolders } from "./person-file.ts";
import { connectableAgents, connectTarget } from "./targets.ts";

const yesOption = { flags: "--yes", description: "write without asking" };

/** `ralph connect` (AGENT-8). */
export const connect: CommandSpec = {
  description: [
    "Connects the sessions that you start yourself: Claude Code by a plugin (tools, a skill, and hooks that add fitting memories), Codex by a server entry and the same hooks, Gemini CLI, OpenCode and pi (0.99 and later) by a server entry in your configuration. Shows the change and asks before it writes. `ralph disconnect` undoes it.",
    "The connection covers all projects; it is active only in folders that ralph knows, and never inside an iteration of `ralph run`.",
    "With --verify, Claude Code ends a turn that changed the project only when the project's approved verification passes.",
  ].join("\n\n"),
  examples: ["ralph connect claude", "ralph connect claude --verify", "ralph connect codex --yes"],
  arguments: [{ name: "<agent>", description: "the agent to connect", choices: connectableAgents }],
  options: [{ flags: "--verify", description: "claude: verify before a turn ends (Stop hook)" }, yesOption],
  run: async (session, { args, options }) => {
    const agent = String(args["agent"]);
    const verify = options["verify"] === true;
    if (verify && agent !== "claude") {
      throw usageError(
        safe`--verify is not available for ${safeLine(agent, 60)}`,
        "use it with claude, or run `ralph verify` yourself",
      );
    }
    await changeConnection(session, { action: "connect", agent, verify, yes: options["yes"] === true });
  },
};

/** `ralph disconnect` (AGENT-8). */
export const disconnect: CommandSpec = {
  description:
    "Removes what `ralph connect` wrote, and nothing else: shows the change and asks before it writes. A file that you changed since is left as it is, with a hint.",
  examples: ["ralph disconnect claude", "ralph disconnect codex --yes"],
  arguments: [{ name: "<agent>", description: "the agent to disconnect", choices: connectableAgents }],
  options: [yesOption],
  run: async (session, { args, options }) => {
    const request = { agent: String(args["agent"]), verify: false, yes: options["yes"] === true };
    await changeConnection(session, { action: "disconnect", ...request });
  },
};

interface ConnectionRequest {
  readonly action: "connect" | "disconnect";
  readonly agent: string;
  readonly verify: boolean;
  readonly yes: boolean;
}

/**
 * Connects or disconnects an agent: shows the changes, asks, writes.
 *
 * @throws RalphError `RALPH_USAGE`, `RALPH_CONNECT_*`, `RALPH_FILE_WRITE`
 */
async function changeConnection(session: Session, request: ConnectionRequest): Promise<void> {
  const { action, agent } = request;
  const target = connectTarget(agent, request);
  const known = readConnection(agent);
  const plan = target[action](known);
  if (plan.changes.length > 0) await confirmChanges(session, request, { target, plan });
  await apply(agent, { known, plan });
  report(session, request, { target, plan });
}

interface Planned {
  readonly target: ConnectTarget;
  readonly plan: ConnectionPlan;
}

async function confirmChanges(
  session: Session,
  { action, yes }: ConnectionRequest,
  { target, plan }: Planned,
): Promise<void> {
  if (!session.json) session.out(joinSafe(plan.changes.map(renderChange), "\n"));
  if (yes) return;
  if (
    await session.confirm(
      safe`${action === "connect" ? "Connect" : "Disconnect"} ${safeLine(target.title)}?`,
      false,
    )
  )
    return;
  throw usageError("nothing was changed: not confirmed", "use --yes to write without confirmation");
}

/** Records a connection before its files are written and forgets it after they are deleted: after a kill, all are known. */
async function apply(
  agent: string,
  { known, plan }: { readonly known: Connection | null; readonly plan: ConnectionPlan },
): Promise<void> {
  const { changes, connection } = plan;
  if (isDeepStrictEqual(known, connection)) return await applyChanges(changes);
  if (connection !== null && changes.length > 0)
    await writeConnection(agent, { ...connection, files: [...(known?.files ?? []), ...connection.files] });
  await applyChanges(changes);
  if (connection === null && known !== null) removeEmptyFolders(known.folders);
  await writeConnection(agent, connection);
}

function report(session: Session, { action, agent }: ConnectionRequest, { target, plan }: Planned): void {
  const title = safeLine(target.title);
  const changed = plan.changes.length > 0;
  if (session.json) {
    const files = plan.changes.map(({ path, before, after }) => ({
      path,
      change: after === null ? "delete" : before === null ? "create" : "change",
    }));
    session.out(safeJson({ agent, connected: action === "connect", changed, files }));
    return;
  }
  if (action === "disconnect")
    session.note(safe`${title} ${changed ? "is disconnected" : "is not connected"}`);
  else if (!changed) session.note(safe`${title} is already connected`);
  else {
    session.note(
      safe`${title} is connected; start a new session to use it. Undo: ralph disconnect ${safeLine(agent)}`,
    );
    if (plan.note) session.note(safe`${title}: ${safeLine(plan.note, 400)}`);
  }
}

/** Unchanged lines that are shown around a change. */
const contextLines = 2;
const maxLineChars = 400;

function renderChange({ path, before, after }: FileChange): SafeText {
  const name = safeLine(shortPath(path));
  if (after === null) return safe`delete ${name}`;
  const lines = before === null ? added(after) : difference(before, after);
  return joinSafe([safe`${before === null ? "create" : "change"} ${name}`, ...lines], "\n");
}

function added(text: string): readonly SafeText[] {
  return linesOf(text).map((line) => safe`  + ${line}`);
}

function difference(before: string, after: string): readonly SafeText[] {
  const [old, now] = [linesOf(before), linesOf(after)];
  const start = sharedLength(old, now);
  const end = sharedLength(old.slice(start).toReversed(), now.slice(start).toReversed());
  return [
    ...now.slice(Math.max(0, start - contextLines), start).map((line) => safe`    ${line}`),
    ...old.slice(start, old.length - end).map((line) => safe`  - ${line}`),
    ...now.slice(start, now.length - end).map((line) => safe`  + ${line}`),
    ...now
      .slice(now.length - end)
      .slice(0, contextLines)
      .map((line) => safe`    ${line}`),
  ];
}

function sharedLength(a: readonly SafeText[], b: readonly SafeText[]): number {
  const different = a.findIndex((line, at) => line !== b[at]);
  return different === -1 ? a.length : different;
}

function linesOf(text: string): readonly SafeText[] {
  const lines = safeText(text.replace(/\r?\n$/, "").replaceAll("\r\n", "\n")).split("\n");
  return lines.map((line) => clip(line, maxLineChars));
}

/** Returns the path with `~` for the user's home. */
function shortPath(path: string): string {
  const inside = relative(readEnv("HOME") || homedir(), path);
  return inside === "" || inside.startsWith("..") || inside === path ? path : `~${sep}${inside}`;
}
