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
} from "./workspace-state.ts";
import { readWorkspaceState, writeWorkspaceState } from "./workspace-state-store.ts";

const baseline: Baseline = { head: "a1", branch: "refs/heads/main", untracked: [], dirty: [], staged: {} };
const at = { head: "b2", branch: "refs/heads/main" };
const removal = { ref: "refs/ralph/salvage/t-1-1", paths: ["a.ts"], committed: [], at };

const held = hold(initialState, "t-1", { baseline, leftAt: null });
const begun = begin(held);
const left = leave(begun, { baseline, leftover: ["a.ts"], leftAt: at });

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
  const tree = { slot: "project" };
  expect(await readWorkspaceState(db, tree)).toEqual(initialState);
  await db.transaction((tx) => writeWorkspaceState(tx, tree, state));
  expect(await readWorkspaceState(db, tree)).toEqual(state);
  expect(await readWorkspaceState(db, { slot: "1" })).toEqual(initialState);
});

test("a transition drops the fields of the state before", () => {
  expect(Object.keys(remove(left, removal)).sort()).toEqual([
    "baseline",
    "finished",
    "kind",
    "overwritten",
    "removal",
    "taskId",
    "testsRun",
  ]);
  expect(free(left)).toEqual(initialState);
  expect(free(counted).testsRun).toEqual({ "npm test": 12 });
});
