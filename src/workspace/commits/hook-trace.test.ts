import { rmSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { scaledLimit } from "../../../test/scaled-limit.ts";
import {
  gitEnv,
  makePipe,
  releaseLater,
  removeTempRepositories,
  tempRepository,
} from "../../../test/temp-repository.ts";
import { openRunWorkspace } from "../../../test/temp-workspace.ts";
import { withHookTrace } from "./hook-trace.ts";

afterEach(removeTempRepositories);

test("LOOP-21: a pipe that a hook's tests put in the place of git's trace ends no run", async () => {
  const ws = await openRunWorkspace(tempRepository().dir, gitEnv);
  const refused = { code: 1, stdout: "", stderr: "", timedOut: false, interrupted: false };
  const before = performance.now();
  const { result, failedHook } = await withHookTrace(ws, async (trace) => {
    rmSync(trace, { force: true });
    makePipe(trace);
    releaseLater(trace);
    return refused;
  });
  expect(performance.now() - before).toBeLessThan(scaledLimit(1500));
  expect([result, failedHook]).toEqual([refused, undefined]);
});
