import type { CheckResult } from "../../outcome/outcome.ts";
import type { Baseline } from "../../workspace/baseline.ts";
import type { OverwrittenFile } from "../../workspace/protect-paths.ts";
import { type TestsRun, withTestsRun } from "./tests-run.ts";

/**
 * The owner of the changes in the project's tree. It is stored, so that the next run can tell a task's leftovers from
 * a user's edits:
 *
 *     free ─ hold ─▶ held ─ leave ─▶ left ─ begin ─▶ held …
 *                    held, left ─ remove ─▶ removing ─ free ─▶ free
 */
export type WorkspaceState = Shared & (Free | Held | Left | Removing);

/** A state in which one task owns all changes since its baseline. */
export type OwnedState = Exclude<WorkspaceState, { readonly kind: "free" }>;
export type FreeState = Shared & Free;
export type HeldState = Shared & Held;
export type RemovingState = Shared & Removing;

/** The part that every state has. */
interface Shared {
  /** Paths that finished tasks left uncommitted, with `commit.enabled: false`. */
  readonly finished: readonly string[];
  /** A person's files that agents overwrote: their copies stay the person's version. */
  readonly overwritten: readonly OverwrittenFile[];
  /** How many tests each command of verification ran when it last passed. */
  readonly testsRun: TestsRun;
}

/** The tree holds no task's work. */
interface Free {
  readonly kind: "free";
}

interface Owned {
  readonly taskId: string;
  /** A user's changes when the task's work began, and the position of HEAD then. */
  readonly baseline: Baseline;
}

/** The task owns the tree, and its paths are not listed: its work returns to it, or its iteration runs or was killed. */
interface Held extends Owned {
  readonly kind: "held";
  /** Where HEAD belongs to the task; null: unknown, as its iteration runs or was killed. */
  readonly leftAt: Position | null;
}

/** An attempt of the task ended and left changes. */
interface Left extends Owned {
  readonly kind: "left";
  /** The paths that it left changed and uncommitted. */
  readonly leftover: readonly string[];
  /** Where it left HEAD: a later move is a user's; null: unknown. */
  readonly leftAt: Position | null;
}

/** The task's work is being removed from the tree. After a kill the next start completes it. */
interface Removing extends Owned {
  readonly kind: "removing";
  readonly removal: Rollback;
}

/** Work to remove from the tree. While it is stored, a part of it may be gone already. */
export interface Rollback {
  /** The ref that keeps the work: below `refs/ralph/salvage/`, or `refs/ralph/rollback/` when it is not restored. */
  readonly ref: string;
  /** The task's uncommitted paths. */
  readonly paths: readonly string[];
  /** The paths that its agent's commits changed: these commits leave the branch too. */
  readonly committed: readonly string[];
  /** The position of HEAD. */
  readonly at: Position;
}

export type Position = Pick<Baseline, "head" | "branch">;

export const initialState: FreeState = {
  kind: "free",
  finished: [],
  overwritten: [],
  testsRun: {},
};

/** Returns true if this task owns the tree. */
export function isOwnedBy(state: WorkspaceState, taskId: string): state is OwnedState {
  return state.kind !== "free" && state.taskId === taskId;
}

/** No task owns the tree any longer. */
export function free(state: WorkspaceState): FreeState {
  return { kind: "free", ...shared(state) };
}

/** The task takes the tree over. */
export function hold(
  state: WorkspaceState,
  taskId: string,
  place: { readonly baseline: Baseline; readonly leftAt: Position | null },
): OwnedState {
  return { ...free(state), kind: "held", taskId, ...place };
}

/** An iteration of the owning task starts. */
export function begin(state: OwnedState): HeldState {
  return { ...owned(state), kind: "held", leftAt: null };
}

/** The attempt's changes are known and stay in the tree for the retry. */
export function leave(
  state: OwnedState,
  work: {
    readonly baseline: Baseline;
    readonly leftover: readonly string[];
    readonly leftAt: Position | null;
  },
): OwnedState {
  return { ...owned(state), kind: "left", ...work };
}

/** The task's work is about to be removed from the tree. */
export function remove(
  state: OwnedState,
  removal: Rollback,
  baseline: Baseline = state.baseline,
): RemovingState {
  return { ...owned(state), kind: "removing", baseline, removal };
}

/** Replaces the list of a person's files that agents overwrote. */
export function setOverwritten<S extends WorkspaceState>(state: S, overwritten: S["overwritten"]): S {
  return { ...state, overwritten };
}

/** Notes how many tests the commands ran. */
export function noteTestsRun<S extends WorkspaceState>(state: S, checks: readonly CheckResult[]): S {
  return { ...state, testsRun: withTestsRun(checks, state.testsRun) };
}

function owned(state: OwnedState): Shared & Owned {
  const { taskId, baseline } = state;
  return { taskId, baseline, ...shared(state) };
}

function shared({ finished, overwritten, testsRun }: WorkspaceState): Shared {
  return { finished, overwritten, testsRun };
}
