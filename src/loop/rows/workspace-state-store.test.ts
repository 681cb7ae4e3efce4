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
} from "./workspace-state.ts";
import { readWorkspaceState, writeWorkspaceState } from "./workspace-state-store.ts";

const baseline: Baseline = { head: "a1", branch: "refs/heads/main", untracked: [], dirty: [] };
const at = { head: "b2", branch: "refs/heads/main" };
const removal = { ref: "refs/ralph/salvage/t-1-1", paths: ["a.ts"], committed: [], at };

const held = hold(setSalvage(initialState, "t-2", "refs/ralph/salvage/t-2-1"), "t-1", {
  baseline,
  leftAt: null,
});
const begun = begin(held);
const left = leave(begun, { baseline, leftover: ["a.ts"], leftAt: at });
const salvages = { "t-2": "refs/ralph/salvage/t-2-1" };

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
    "overwritten",
    "removal",
    "salvages",
    "taskId",
    "testsRun",
  ]);
  expect(free(left)).toEqual({ ...initialState, salvages });
  expect(free(counted).testsRun).toEqual({ "npm test": 12 });
  expect(setSalvage(left, "t-2", null).salvages).toEqual({});
});
