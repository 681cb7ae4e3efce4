/** Tools that continue after the model's answer and that no other setting turns off. */
const backgroundTools = ["ScheduleWakeup", "CronCreate", "Monitor", "Workflow"] as const;

/**
 * Turns off the tools that schedule later work: an iteration ends with the agent's last message. Nothing is turned
 * off if `extraArgs` has its own list, and no tool that it allows by name. The flag takes any number of words, so
 * another flag must follow.
 */
export function backgroundFlags(extraArgs: readonly string[]): readonly string[] {
  if (extraArgs.some((word) => /^--disallowed(Tools|-tools)(=|$)/.test(word))) return [];
  const named = new Set(extraArgs.flatMap((word) => word.split(/[\s,=()]+/)));
  const off = backgroundTools.filter((tool) => !named.has(tool));
  return off.length > 0 ? ["--disallowedTools", ...off] : [];
}

/** Makes commands and sub-agents run in the foreground. A value set by the user wins. */
export function backgroundEnv(env: Readonly<Record<string, string>>): Record<string, string> {
  const name = "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS";
  return { [name]: env[name] ?? "1" };
}

/**
 * Returns true if nothing continues after the model's answer. With background work, the state `idle` ends a session only
 * when the input is closed from the start.
 */
export function isForeground(extraArgs: readonly string[], env: Readonly<Record<string, string>>): boolean {
  const hasAllFlags = backgroundFlags(extraArgs).length > backgroundTools.length;
  return hasAllFlags && Object.values(backgroundEnv(env)).every((value) => value === "1");
}
