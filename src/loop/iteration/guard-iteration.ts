import { join, relative } from "node:path";
import { clip, oneLine } from "../../base/text.ts";
import type { TableWrite } from "../../events/event.ts";
import { revertTampering } from "../../events/revert-tampering.ts";
import type { View } from "../../store/db.ts";
import { restoreClaim } from "../../tasks/claim-store.ts";
import { type Guard, guard, restoreGuarded } from "../../workspace/guard.ts";
import { restoreStashes, type Stash, stashesOf } from "../../workspace/stash.ts";
import { commit, type Loop } from "../loop.ts";
import type { Iteration } from "./begin-iteration.ts";

/** What an agent may not rewrite, as it was before the iteration: files, and the rows of tasks and memory. */
export interface Guarded {
  readonly files: Guard;
  readonly rows: View;
  stashes: readonly Stash[];
  /** Changes when another connection writes to the store. */
  version: number;
  readonly iteration: Iteration;
}

/** At most so many names in the warnings; an agent may have emptied a table. */
const maxNamedRows = 10;

/** To be closed (`rows`) when the iteration ends. */
export async function guardIteration(loop: Loop, iteration: Iteration): Promise<Guarded> {
  // First: what is written between the two is looked at once too often, not once too little.
  const version = await loop.db.dialect.changeStamp();
  const stashes = stashesOf(loop.workspace);
  const files = iteration.state.guard ?? (await guard(loop.workspace));
  return { files, rows: await loop.db.view(), stashes, version, iteration };
}

/**
 * Puts back what differs, the store's file and its rows too, and says of each what it was. What people and agents
 * change through ralph stays. As often as needed; costs next to nothing where no other process wrote the store.
 */
export async function putBackGuarded(loop: Loop, guarded: Guarded): Promise<readonly string[]> {
  const files = await restoreGuarded(loop.workspace, guarded.files);
  // What an open file holds outlives its removal.
  const storeToo = await loop.db.rescueFile();
  const paths = storeToo ? [...files, relative(loop.root, loop.db.location)] : files;
  const version = await loop.db.dialect.changeStamp();
  const rows = storeToo || version !== guarded.version ? await revertTamperedRows(loop, guarded) : [];
  guarded.version = version;
  const stashes = await restoreStashes(loop.workspace, guarded.stashes);
  guarded.stashes = stashesOf(loop.workspace);
  return [
    ...paths.map((path) => `put back ${path}: an agent may not change it`),
    ...stashes.restored.map(
      ({ message }) => `put back a stash that the agent dropped: ${describeRow(message)}`,
    ),
    ...stashes.added.map(
      ({ commit, message }) =>
        `the agent stashed work, which stays in git stash list: ${describeRow(message)} (git stash show -p ${commit.slice(0, 12)})`,
    ),
    ...rows,
  ];
}

function describeRow(text: string): string {
  return clip(oneLine(text), 100);
}

async function revertTamperedRows(loop: Loop, { rows, iteration }: Guarded): Promise<readonly string[]> {
  const file = join(loop.folder, "events.jsonl");
  const writes = await commit(loop, async (tx) => {
    const strays = await revertTampering(tx, { before: rows, file });
    const holder = { owner: loop.owner, runId: loop.runId };
    await restoreClaim(tx, iteration.claim, holder, loop.clock.now());
    return strays;
  });
  const names = [...new Set(writes.map(nameOf))];
  const more =
    names.length > maxNamedRows ? [`put back ${names.length - maxNamedRows} more rows of the store`] : [];
  const told = names
    .slice(0, maxNamedRows)
    .map((name) => `put back ${name}: it was changed other than by ralph`);
  return [...told, ...more];
}

function nameOf({ table, row }: TableWrite): string {
  const cell = (column: string): string => describeRow(String(row[column]));
  switch (table) {
    case "tasks":
      return `task ${cell("id")}`;
    case "dependencies":
      return `what ${cell("blocked_id")} waits for`;
    case "iteration_outcomes":
      return `attempt ${cell("attempt_number")} of ${cell("task_id")}`;
    case "failure_reports":
      return `the report of attempt ${cell("attempt_number")} of ${cell("task_id")}`;
    case "strategy_metrics":
      return `the metrics of ${cell("task_id")}`;
    default:
      return `a row of ${table}`;
  }
}
