import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { gitEnv, removeTempRepositories, tempRepository } from "../../../test/temp-repository.ts";
import { openRunWorkspace } from "../../../test/temp-workspace.ts";
import { prefetchStatus, statusAhead } from "./status.ts";

afterEach(removeTempRepositories);

async function begin() {
  const repository = tempRepository();
  return { ...repository, ws: await openRunWorkspace(repository.dir, gitEnv) };
}

test("a status that was read ahead is used once", async () => {
  const { ws, write } = await begin();
  prefetchStatus(ws);
  // Long enough for git to have read the folder, shorter than the status counts.
  await sleep(50);
  write("new.txt", "new");
  const first = await statusAhead(ws);
  expect((await statusAhead(ws)).untracked).toEqual(["new.txt"]);
  // On a busy machine it was already too old.
  expect([[], ["new.txt"]]).toContainEqual(first.untracked);
});

test("LOOP-9: what a person writes while the loop waits is in the status", async () => {
  const { ws, write } = await begin();
  prefetchStatus(ws);
  await sleep(150);
  write("mine.txt", "mine");
  expect((await statusAhead(ws)).untracked).toEqual(["mine.txt"]);
});
