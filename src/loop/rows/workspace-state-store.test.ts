import { expect, test } from "vitest";
import { openTempStore } from "../../../test/temp-store.ts";
import type { Baseline } from "../../workspace/baseline.ts";
import {
  begin,
  free,
  hold,
  initialState,
  leave,
  noteTestsRun,
  remove,
  setOverwritten,
  setSalvage,
  type WorkspaceState,
} from "./workspace-state.ts";
import { readWorkspaceState, writeWorkspaceState } from "./workspace-state-store.ts";

const baseline: Baseline = { head: "a1", branch: "refs/heads/main", untracked: [], dirty: [] };
const at = { head: "b2", branch: "refs/heads/main" };
const removal = { ref: "refs/ralph/salvage/t-1-1", paths: ["a.ts"], committed: [], at };
const none = { baseline: null, leftover: null, leftAt: null, removal: null, finished: [] };

const held = hold(setSalvage(initialState, "t-2", "refs/ralph/salvage/t-2-1"), "t-1", {
  baseline,
  leftAt: null,
});
const begun = begin(held);
const left = leave(begun, { baseline, leftover: ["a.ts"], leftAt: at });
const salvages = { "t-2": "refs/ralph/salvage/t-2-1" };
const owned = { taskId: "t-1", baseline, salvages, finished: [] };

/** The `baseline` column as version 0.1.0 wrote it, the task of its row, and the state that it means. */
const stored: readonly (readonly [string, object, string | null, WorkspaceState])[] = [
  [
    "a tree of no task",
    { ...none, finished: ["b.ts"] },
    null,
    { kind: "free", salvages, finished: ["b.ts"] },
  ],
  ["work that returns to the tree", { ...none, baseline }, "t-1", held],
  [
    "a killed run whose HEAD is known",
    { ...none, baseline, leftAt: at },
    "t-1",
    { kind: "held", ...owned, leftAt: at },
  ],
  ["an iteration that runs", { ...none, baseline }, "t-1", begun],
  ["a failed attempt's changes", { ...none, baseline, leftover: ["a.ts"], leftAt: at }, "t-1", left],
  [
    "changes of a store without leftAt",
    { baseline, leftover: [] },
    "t-1",
    { kind: "left", ...owned, leftover: [], leftAt: null },
  ],
  [
    "a removal under way, beside the attempt's paths",
    { ...none, baseline, leftover: ["a.ts"], leftAt: at, removal },
    "t-1",
    { kind: "removing", ...owned, removal },
  ],
];

test.each(stored)("LOOP-9: a row of the previous version is read: %s", async (_, column, taskId, state) => {
  const db = await openTempStore();
  const row = [taskId, JSON.stringify(column), JSON.stringify(salvages)];
  await db.transaction((tx) =>
    tx.run("INSERT INTO workspace_state (id, task_id, baseline, salvages) VALUES (1, ?, ?, ?)", row),
  );
  expect(await readWorkspaceState(db)).toEqual(state);
});

const overwritten = setOverwritten(left, [
  { left: { path: "mine.txt", size: 1, mtimeMs: 1, ctimeMs: 1, hash: "h" }, copy: "c3" },
]);

const ran = { command: "npm test", passed: true, testsRun: 12, reason: "", exitCode: 0, durationMs: 1 };
const counted = noteTestsRun(left, [{ ...ran, excerpt: "", cannotRun: null }]);

test.each([
  ...[counted, remove(counted, removal), free(counted)],
  ...[initialState, held, begun, left, remove(left, removal), free(left)],
  ...[overwritten, remove(overwritten, removal), free(overwritten)],
])("LOOP-9: a stored state is read as it was: %j", async (state) => {
  const db = await openTempStore();
  expect(await readWorkspaceState(db)).toEqual(initialState);
  await db.transaction((tx) => writeWorkspaceState(tx, state));
  expect(await readWorkspaceState(db)).toEqual(state);
});

test("a transition keeps waiting salvages and drops the fields of the state before", () => {
  expect(Object.keys(remove(left, removal)).sort()).toEqual([
    "baseline",
    "finished",
    "kind",
    "removal",
    "salvages",
    "taskId",
  ]);
  expect(free(left)).toEqual({ kind: "free", salvages, finished: [] });
  expect(free(counted).testsRun).toEqual({ "npm test": 12 });
  expect(setSalvage(left, "t-2", null).salvages).toEqual({});
});
