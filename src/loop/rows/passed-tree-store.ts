import { sha256 } from "../../base/hash.ts";
import type { VerifyCommand } from "../../base/verify-command.ts";
import type { Reader, Tx } from "../../store/port/db.ts";
import { insertRow } from "../../store/port/rows.ts";

/** The number of trees that are remembered; the oldest are forgotten first. */
const maxTrees = 100;

interface PassedTree {
  /** A `treeFingerprint`. */
  readonly tree: string;
  readonly commands: readonly VerifyCommand[];
}

/** Returns true if this tree passed these commands before. */
export async function hasPassed(q: Reader, { tree, commands }: PassedTree): Promise<boolean> {
  const key = [tree, commandsKey(commands)];
  return (await q.get("SELECT 1 FROM passed_trees WHERE tree = ? AND commands = ?", key)) !== undefined;
}

/** Remembers that this tree passed these commands. */
export async function recordPassed(tx: Tx, { tree, commands }: PassedTree, now: Date): Promise<void> {
  const row = { tree, commands: commandsKey(commands), passed_at: now.toISOString() };
  await insertRow(tx, "passed_trees", row, ["tree", "commands"]);
  await tx.run(
    `DELETE FROM passed_trees WHERE (tree, commands) IN
       (SELECT tree, commands FROM passed_trees ORDER BY passed_at DESC, tree, commands LIMIT 1000 OFFSET ?)`,
    [maxTrees],
  );
}

/** Forgets that this tree passed these commands, because they failed on it since: what they need can be gone. */
export async function forgetPassed(tx: Tx, { tree, commands }: PassedTree): Promise<void> {
  const key = [tree, commandsKey(commands)];
  await tx.run("DELETE FROM passed_trees WHERE tree = ? AND commands = ?", key);
}

function commandsKey(commands: readonly VerifyCommand[]): string {
  return sha256(JSON.stringify(commands));
}
