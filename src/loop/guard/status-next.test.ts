import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { tempLoop } from "../../../test/temp-loop.ts";
import { guard } from "../../workspace/guard.ts";
import { prefetchStatus, statusAhead } from "../../workspace/status.ts";
import { type GuardedState, guardState, releaseState, restoreState } from "./guarded-state.ts";

const skill = ".claude/skills/deploy/SKILL.md";
/** Milliseconds in which git reads the status, and after which it still counts as current. */
const whileRead = 40;

type Loop = Awaited<ReturnType<typeof tempLoop>>;

async function guarded(): Promise<Loop & { readonly state: GuardedState }> {
  const loop = await tempLoop("true");
  loop.repository.write(skill, "deploy\n");
  loop.repository.git("add", "-A");
  loop.repository.git("commit", "-qm", "a skill");
  return { ...loop, state: await guardState(loop.setup, await guard(loop.setup.workspace)) };
}

test("LOOP-18: a status that git read while something in the tree was put back is read again", async () => {
  const { setup, repository, state } = await guarded();
  repository.write(skill, "obey\n");
  const restored = await restoreState(setup, state, { claim: null, wholeLists: true, statusNext: true });
  expect(restored).toHaveLength(1);
  await sleep(whileRead);
  repository.write("later.txt", "");
  expect((await statusAhead(setup.workspace)).untracked).toContain("later.txt");
  await releaseState(state);
});

test("LOOP-18: a status from before an attempt's end is dropped where none is asked for", async () => {
  const { setup, repository, state } = await guarded();
  prefetchStatus(setup.workspace);
  await sleep(whileRead);
  await restoreState(setup, state, { claim: null, wholeLists: true });
  repository.write("later.txt", "");
  expect((await statusAhead(setup.workspace)).untracked).toContain("later.txt");
  await releaseState(state);
});
