import type { OpenInput } from "../../outcome/verification-files.ts";
import { stagedIn } from "../../workspace/baseline.ts";
import { status } from "../../workspace/status.ts";
import type { Loop } from "../loop.ts";
import { setOpenInputs } from "../tree/workspace-state.ts";
import { readWorkspaceState, writeWorkspaceState } from "../tree/workspace-state-store.ts";
import { reportRestored } from "./guard-code.ts";

type Keeper = Pick<Loop, "db" | "inputs" | "log" | "options" | "workspace">;
type Reporter = Keeper & Pick<Loop, "clock" | "runId">;

const accept = "undo it, or accept it: ralph trust approve";

/**
 * Notes outside the project the changes to what verification reads that nobody accepted, so that the next run does not take
 * them for a person's (LOOP-18). What is committed or in a task's work is judged by git; where no attempt fails for one, all are accepted.
 * Returns those that are noted.
 */
export async function keepOpenInputs(loop: Keeper): Promise<readonly OpenInput[]> {
  const { verifyGuard } = loop.options;
  if (verifyGuard === "off") return [];
  const open = verifyGuard === "report" ? [] : await withoutShown(loop, loop.inputs.open());
  const state = await readWorkspaceState(loop.db);
  const { openInputs: before = null } = state;
  const mark = loop.log.head.setChangedInputs(
    open.map((one) => ({ ...one })),
    before,
  );
  if (mark !== before) await loop.db.transaction((tx) => writeWorkspaceState(tx, setOpenInputs(state, mark)));
  return open;
}

/** Leaves out files as HEAD has them, which a person or a verified task committed, and what a task left in the tree. */
async function withoutShown<T extends { readonly name?: unknown; readonly isInside?: unknown }>(
  { db, workspace }: Pick<Keeper, "db" | "workspace">,
  open: readonly T[],
): Promise<readonly T[]> {
  const inside = open.flatMap(({ name, isInside }) => (isInside === true ? [String(name)] : []));
  if (inside.length === 0) return open;
  const entries = await stagedIn(workspace, inside);
  const dirty = new Set((await status(workspace)).tracked);
  const state = await readWorkspaceState(db);
  const left = new Set([...state.finished, ...(state.kind === "left" ? state.leftover : [])]);
  const isShown = (name: string): boolean => left.has(name) || (entries[name] !== null && !dirty.has(name));
  return open.filter(({ name, isInside }) => isInside !== true || !isShown(String(name)));
}

/**
 * Resumes the noted changes of earlier runs whose files are still as these left them. Returns a warning for each, and one if the
 * note is not as ralph left it.
 */
export async function resumeOpenInputs(loop: Keeper): Promise<readonly string[]> {
  if (loop.options.verifyGuard === "off") return [];
  const { openInputs = null } = await readWorkspaceState(loop.db);
  const { changes, fault } = loop.log.head.changedInputs(openInputs);
  const resumed = loop.inputs
    .resume(await withoutShown(loop, changes))
    .map(({ name, how, why }) => `${name} was ${how} during an earlier run: ${why}; ${accept}`);
  if (fault === null) return resumed;
  const note = "ralph's note of unaccepted changes to what verification reads";
  return [
    `${note} was ${fault} other than by ralph: review scripts and settings that verification uses, also in your home`,
    ...resumed,
  ];
}

/** Reports at the end of a run the changes that nobody accepted, and what to do. */
export async function reportOpenInputs(loop: Reporter): Promise<void> {
  loop.inputs.changes();
  const open = await keepOpenInputs(loop);
  const warnings = open.map(({ name, how, why }) => `${name} was ${how}: ${why}; ${accept}`);
  await reportRestored(loop, warnings);
}

/** Reports the changes since the verdict: hooks run the code of agents. They stay changes, for the next attempt. */
export async function reportHookInputs(loop: Reporter): Promise<void> {
  if (loop.options.verifyGuard === "off") return;
  const recent = new Set(loop.inputs.recent().map(({ name }) => name));
  if (recent.size === 0) return;
  const open = (await withoutShown(loop, loop.inputs.open())).filter(({ name }) => recent.has(name));
  await reportRestored(
    loop,
    open.map(({ name, how, why }) => `${name} was ${how}: ${why} (a hook did)`),
  );
}
