import { join } from "node:path";
import { count } from "../../base/text.ts";
import type { CheckResult } from "../../outcome/outcome.ts";
import { readHead } from "../../workspace/git/read-head.ts";
import type { Loop } from "../rows/loop.ts";
import { fewerRan, type TestsRun, withTestsRun } from "../rows/tests-run.ts";
import { verifyProject } from "../rows/verify-project.ts";
import { readWorkspaceState } from "../rows/workspace-state-store.ts";

type Request = Parameters<typeof verifyProject>[1];

/** Verifies where attempts are verified. A tree that passed outside of the project is not known to pass inside. */
export async function verifyBefore(loop: Loop, remainingMs: number | null): Promise<readonly CheckResult[]> {
  const { runId, clean, stop: signal, workspace } = loop;
  const request = { marker: runId, signal, remainingMs, remember: clean === null };
  const { hash: head } = await readHead(workspace);
  if (clean === null || head === null) return verifyProject(loop, request);
  return verifyClean({ ...loop, clean }, request, head);
}

/** Verifies in the separate work tree. A command that runs fewer tests there than in the project does not pass: it judges less. */
async function verifyClean(
  loop: Loop & { readonly clean: NonNullable<Loop["clean"]> },
  request: Request,
  head: string,
): Promise<readonly CheckResult[]> {
  const { clean, runId } = loop;
  const { finished, testsRun } = await readWorkspaceState(loop.db, loop.workspace);
  const content = { head, paths: finished, asBefore: { from: head, paths: [] } };
  const tmpDir = join(loop.folder, "tmp", runId);
  const place = await clean.prepare({ content, marker: runId, tmpDir });
  if (place.failedSetup.length > 0) return place.failedSetup;
  const checks = await verifyProject({ ...loop, root: place.root, env: place.env }, request);
  if (checks.some(({ passed }) => !passed) || !inDoubt(checks, testsRun)) return checks;
  const inProject = withTestsRun(await verifyProject(loop, request), {});
  return checks.map((check) => lessThan(inProject, check));
}

/** Returns true where only a look at the project says whether these are all of its tests: they are not known, or were more. */
function inDoubt(checks: readonly CheckResult[], before: TestsRun): boolean {
  const isNew = ({ command, testsRun }: CheckResult): boolean =>
    testsRun !== undefined && !Object.hasOwn(before, command);
  return checks.some(isNew) || fewerRan(checks, before).length > 0;
}

function lessThan(inProject: TestsRun, check: CheckResult): CheckResult {
  const there = inProject[check.command] ?? 0;
  if (fewerRan([check], inProject).length === 0) return check;
  const here =
    check.testsRun === undefined
      ? "does not say how many tests it ran"
      : `ran ${count(check.testsRun, "test")}`;
  const reason = `${here} in the separate tree of verifyGuard: clean, ${there} in the project: files that git ignores or does not track are not there (commit them, or make them in verifySetup)`;
  return { ...check, passed: false, reason };
}
