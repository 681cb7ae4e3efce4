import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Files that take more than ten seconds, the longest first. vitest knows no durations in a fresh clone and would begin some
 * of these, which are small, at the end: one core would wait for the other.
 */
const longest: readonly string[] = [
  "test/e2e/hostile-memory",
  "test/e2e/large-files",
  "test/runaways/",
  "test/e2e/verified-work",
  "src/process/run-process",
  "test/faults/",
  "test/e2e/swarm",
  "test/conformance/agent",
  "test/e2e/message",
  "test/e2e/commit-hook",
  "test/crash/kill-after",
  "test/e2e/loop",
  "test/e2e/baseline",
  "test/night/",
  "test/signals/",
  "test/e2e/bench",
  "test/e2e/memory",
  "test/e2e/hivemind",
  "test/git-states/",
  "test/crash/",
  "test/fuzz/",
  "test/e2e/",
  "test/bounded-time",
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
