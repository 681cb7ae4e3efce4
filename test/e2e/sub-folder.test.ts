import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Practice, practice, type RunEvent, runRalph } from "./practice.ts";

// A project in a folder of a larger repository: its commits hold that folder, and verification can read all of it.

let project: Practice;
afterEach(() => project?.remove());

/** Runs a project in `packages/a` whose agent changes a file beside it too. Returns the events. */
async function runBeside(
  verifyGuard: string,
  before: () => void = () => undefined,
): Promise<readonly RunEvent[]> {
  project = practice({
    "common/lib.txt": "v1\n",
    "common/other.txt": "v1\n",
    "packages/a/check.sh": "[ ! -f feature.txt ] || grep -q v2 ../../common/lib.txt\n",
    "packages/a/.ralph/config.yaml": [
      "agent: command",
      'agents: { command: { argv: ["sh", "../../../agent.sh"] } }',
      'verify: ["sh check.sh"]',
      `verifyGuard: ${verifyGuard}`,
      "limits: { maxAttempts: 1 }",
    ].join("\n"),
  });
  project.write(
    "../agent.sh",
    'cat > /dev/null; echo v2 > ../../common/lib.txt; echo x > feature.txt; echo "<task-done>$RALPH_TASK_ID</task-done>"\n',
  );
  before();
  const place = { dir: join(project.dir, "packages/a"), env: project.env };
  await runRalph(["trust", "approve", "--yes"], place);
  await runRalph(["task", "add", "Use v2"], place);
  const { stdout } = await runRalph(["run", "--json"], place);
  return stdout.split("\n").flatMap((line): readonly RunEvent[] => (line === "" ? [] : [JSON.parse(line)]));
}

const warning =
  "../../common/lib.txt changed outside of the project's folder: what verification read there is not part of the work";
const warningsOf = (events: readonly RunEvent[], type: string): unknown =>
  events.find((event) => event.type === type)?.["warnings"];

test("LOOP-18: what verification could read beside the project's folder is reported, and fails under strict", async () => {
  const reported = await runBeside("report");
  expect(warningsOf(reported, "iteration.finished")).toEqual([warning]);
  expect(project.commits()[0]).toMatch(/^Use v2/);
  project.remove();
  const strict = (await runBeside("strict")).find(({ type }) => type === "iteration.finished");
  expect(strict).toMatchObject({ outcome: "failed", warnings: [warning] });
});

test("LOOP-18: a person's changes beside the project's folder are named once, when the run starts", async () => {
  const events = await runBeside("report", () => project.write("common/other.txt", "mine\n"));
  expect(warningsOf(events, "run.started")).toEqual([
    "../../common/other.txt has changes outside of the project's folder: verification reads it as it is, and no commit of this run holds it",
  ]);
  expect(warningsOf(events, "iteration.finished")).toEqual([warning]);
});
