import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Files that take more than ten seconds, the longest first. vitest knows no durations in a fresh clone and would begin some
 * of these, which are small, at the end: one core would wait for the other.
 */
const longest: readonly string[] = [
  "test/e2e/swarm",
  "test/e2e/loop",
  "test/e2e/run-control",
  "test/e2e/doctor",
  "test/conformance/agent",
  "test/night/",
  "test/smoke/",
  "test/e2e/inputs",
  "test/e2e/bench-skills",
  "test/e2e/bench",
  "test/bounded-time",
  "test/fuzz/",
  "test/git-states/git-states",
  "test/e2e/memory",
  "test/e2e/hivemind",
  "test/e2e/ten-scenarios",
  "test/signals/",
  "test/runaways/",
  "test/crash/",
  "test/e2e/",
  "src/process/",
  "src/workspace/",
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
