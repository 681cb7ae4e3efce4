import type { VerifyCommand } from "../../base/verify-command.ts";
import type { RunOptions } from "../loop.ts";

/**
 * Returns the commands whose files an agent may not change: those that verify, and under `verifyGuard: clean` those that
 * prepare the separate work tree, which could plant programs for them.
 */
export function guardedCommands(
  { verifyGuard, verifySetup }: Pick<RunOptions, "verifyGuard" | "verifySetup">,
  commands: readonly VerifyCommand[],
): readonly string[] {
  const all = verifyGuard === "clean" ? [...commands, ...verifySetup] : commands;
  return all.map(({ run }) => run);
}
