import { isObject, type JsonObject, parseJson, shownValue } from "../../base/json.ts";
import type { Permission } from "../../base/shared-settings.ts";
import type { AgentRequest } from "../port/agent.ts";
import { type AskedAction, isAllowed } from "../session/approve-action.ts";

/** The title by which ralph knows the questions of its own extension. */
export const gateTitle = "ralph: permission";

/** The tools of pi that only read. */
export const readingTools: readonly string[] = ["read", "grep", "find", "ls"];

/**
 * Asks ralph about each call of a tool that may change something, through pi's own protocol: pi has no permissions of its own.
 * The tools of ralph's server need none.
 */
export const gateCode: string = `
  const reading = ${JSON.stringify(readingTools)};
  pi.on("tool_call", async ({ toolName, input }, ctx) => {
    if (reading.includes(toolName) || toolName.startsWith("mcp__ralph__")) return undefined;
    const { command, path } = input ?? {};
    const allowed = await ctx.ui.confirm(${JSON.stringify(gateTitle)}, JSON.stringify({ toolName, command, path }));
    if (allowed) return undefined;
    return { block: true, reason: "This action is not allowed in this session, and nobody can be asked." };
  });
`;

/** Returns true if a session of this permission needs the extension: the others leave everything to pi's own settings. */
export function needsGate(level: Permission): boolean {
  return level !== "ask" && level !== "bypass";
}

/** Judges the question of the extension. Returns the refused action, such as `bash(npm install)`; null: it is allowed. */
export function judgeCall(level: Permission, question: string, request: AgentRequest): string | null {
  const asked = parseJson(question);
  const call = isObject(asked) ? asked : {};
  const tool = shownValue(call["toolName"]) || "?";
  const action = actionOf(tool, call);
  if (isAllowed(level, action, request)) return null;
  return `${tool}(${action.command ?? action.paths.join(", ")})`;
}

function actionOf(tool: string, { command, path }: JsonObject): AskedAction {
  if (tool === "bash")
    return { kind: "run", command: typeof command === "string" ? command : null, paths: [] };
  const changes = tool === "edit" || tool === "write";
  if (!changes || typeof path !== "string") return { kind: "other", command: null, paths: [] };
  return { kind: "edit", command: null, paths: [written(path)] };
}

/** The file that pi writes for `path`: it drops a leading `@` and replaces `~` by the home, which is outside the project. */
function written(path: string): string {
  const plain = path.replace(/^@/, "");
  return plain.startsWith("~") ? `/${plain}` : plain;
}
