import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Files that take more than ten seconds, the longest first. vitest knows no durations in a fresh clone and would begin some
 * of these, which are small, at the end: one core would wait for the other.
 */
const longest: readonly string[] = [
  "test/workers/",
  "test/e2e/swarm",
  "src/process/run-process",
  "test/night/",
  "test/runaways/",
  "test/signals/",
  "test/view/terminal",
  "test/e2e/fail-meanwhile",
  "test/postgres/",
  "test/e2e/memory",
  "test/e2e/verify-guard",
  "test/e2e/honest-",
  "test/e2e/escapes",
  "test/e2e/mcp",
  "test/conformance/agent",
  "test/e2e/limits",
  "test/e2e/commit-hook",
  "test/e2e/hivemind",
  "test/bounded-time",
  "test/git-states/",
  "test/crash/",
  "test/faults/",
  "test/e2e/",
  "test/smoke/",
  "src/workspace/",
  "src/process/",
];

/** Orders the test files so that no long one is left when the others are done. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = longest.findIndex((begin) => relative(process.cwd(), moduleId).startsWith(begin));
      return at === -1 ? longest.length : at;
    };
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}
