import type { Permission } from "../../base/shared-settings.ts";

/** Actions that a mode does not allow are denied: in headless mode nobody can be asked. */
const modes: Readonly<Record<Permission, readonly string[]>> = {
  plan: ["--permission-mode", "plan"],
  ask: [],
  edit: ["--permission-mode", "acceptEdits"],
  shell: ["--permission-mode", "acceptEdits"],
  bypass: ["--permission-mode", "bypassPermissions"],
};

/**
 * Returns the flags of a permission. `own`: ralph's tools, which give an agent no power that its sigils lack. The list
 * of tools may have any number of words, so another flag always follows it; `--allowedTools` in the user's own arguments
 * add to it.
 */
export function permissionFlags(
  permission: Permission,
  allowedCommands: readonly string[],
  own: readonly string[] = [],
): readonly string[] {
  const rules = permission === "shell" ? ["Bash"] : allowedCommands.flatMap(rulesFor);
  const runs = permission === "edit" || permission === "shell" ? rules : [];
  const allowed = permission === "bypass" ? [] : [...new Set([...runs, ...own])];
  return [...(allowed.length > 0 ? ["--allowedTools", ...allowed] : []), ...modes[permission]];
}

/** Allows a command with any further arguments; for chained commands also each of them separately. */
function rulesFor(command: string): readonly string[] {
  const line = command.trim();
  if (line === "") return [];
  if (!/[&|;\n]/.test(line)) return [`Bash(${line}:*)`];
  const parts = /["'`$()\\<>]/.test(line) ? [] : line.split(/&&|\|\||[&|;\n]/).map((part) => part.trim());
  return [`Bash(${line})`, ...parts.filter((part) => part !== "").map((part) => `Bash(${part}:*)`)];
}

/** Checks whether the session skips all permission checks, by the setting or by the user's own arguments. */
export function bypasses(permission: Permission, extraArgs: readonly string[]): boolean {
  return (
    permission === "bypass" ||
    extraArgs.some((word) => word === "--dangerously-skip-permissions" || word.endsWith("bypassPermissions"))
  );
}

/** Checks whether Claude Code would refuse to start: as root it allows a bypass only if IS_SANDBOX is exactly 1. */
export function refusesBypass(env: Readonly<Record<string, string>>): boolean {
  return process.getuid?.() === 0 && env["IS_SANDBOX"] !== "1" && !env["CLAUDE_CODE_BUBBLEWRAP"];
}
