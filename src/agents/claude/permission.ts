import { RalphError } from "../../base/errors.ts";

/** What Claude Code may do without asking; headless, what it would have to ask for is denied. */
export type ClaudePermission = "plan" | "ask" | "edit" | "shell" | "bypass";

const modes: Readonly<Record<ClaudePermission, readonly string[]>> = {
  plan: ["--permission-mode", "plan"],
  ask: [],
  edit: ["--permission-mode", "acceptEdits"],
  shell: ["--permission-mode", "acceptEdits"],
  bypass: ["--permission-mode", "bypassPermissions"],
};

/** The setting's meaning. Throws RALPH_AGENT_PERMISSION. */
export function claudePermission(setting: string | null): ClaudePermission {
  const permission = setting ?? "edit";
  if (Object.hasOwn(modes, permission)) return permission as ClaudePermission;
  throw new RalphError("RALPH_AGENT_PERMISSION", `agents.claude.permission is "${permission}".`, {
    hint: `It can be ${Object.keys(modes).join(", ")}.`,
  });
}

/**
 * The flags of a permission; `own` are ralph's tools, which give an agent no power that its sigils lack. The list of tools may have any number of words, so another flag always follows it; more
 * `--allowedTools` in the user's own arguments are added to it.
 */
export function permissionFlags(
  permission: ClaudePermission,
  verifyCommands: readonly string[],
  own: readonly string[] = [],
): readonly string[] {
  const rules = permission === "shell" ? ["Bash"] : verifyCommands.flatMap(rulesFor);
  const runs = permission === "edit" || permission === "shell" ? rules : [];
  const allowed = permission === "bypass" ? [] : [...new Set([...runs, ...own])];
  return [...(allowed.length > 0 ? ["--allowedTools", ...allowed] : []), ...modes[permission]];
}

/** A command with any arguments after it; of commands in a row also each by itself. */
function rulesFor(command: string): readonly string[] {
  const line = command.trim();
  if (line === "") return [];
  if (!/[&|;\n]/.test(line)) return [`Bash(${line}:*)`];
  const parts = /["'`$()\\<>]/.test(line) ? [] : line.split(/&&|\|\||[&|;\n]/).map((part) => part.trim());
  return [`Bash(${line})`, ...parts.filter((part) => part !== "").map((part) => `Bash(${part}:*)`)];
}

/** Whether the session will skip all permission checks, by the setting or by the user's own arguments. */
export function bypasses(permission: ClaudePermission, extraArgs: readonly string[]): boolean {
  return (
    permission === "bypass" ||
    extraArgs.some((word) => word === "--dangerously-skip-permissions" || word.endsWith("bypassPermissions"))
  );
}

/** Why Claude Code would refuse to start: to root it allows a bypass only where IS_SANDBOX is exactly 1. */
export function refusesBypass(env: Readonly<Record<string, string>>): boolean {
  return process.getuid?.() === 0 && env["IS_SANDBOX"] !== "1" && !env["CLAUDE_CODE_BUBBLEWRAP"];
}
