import { type Guard, guard, restoreGuarded } from "../src/workspace/guard.ts";
import type { Workspace } from "../src/workspace/workspace.ts";
import { gitEnv, tempFolder } from "./temp-repository.ts";
import { openRunWorkspace } from "./temp-workspace.ts";

/** A repository whose guarded files were noted as before an agent's session. */
interface Guarded {
  readonly ws: Workspace;
  /** The guard as the store gives it back. */
  readonly before: Guard;
  /** Keeps what is replaced. */
  readonly keepIn: string;
  /** Restores what is guarded; returns the names. */
  readonly restore: () => Promise<readonly string[]>;
}

/** Notes what is guarded of the repository at `dir`, for a person with an empty home. */
export async function guardedAt(dir: string, keepIn: string = tempFolder()): Promise<Guarded> {
  const ws = await openRunWorkspace(dir, { ...gitEnv, HOME: tempFolder() });
  const before: Guard = JSON.parse(JSON.stringify(await guard(ws)));
  return { ws, before, keepIn, restore: () => restoreGuarded(ws, before, keepIn) };
}
