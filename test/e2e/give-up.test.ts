import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { finished, type Practice, practice } from "./practice.ts";

/** `RALPH_TEST_NIGHT=60`: a night of 60 tasks. A sixth of the tasks is impossible. */
const tasks = Number(process.env["RALPH_TEST_NIGHT"] ?? 9);
let project: Practice;
afterEach(() => project.remove());

/** An agent whose session costs as much as its model, and that never finishes a task called impossible. */
const agent = `prompt=$(cat)
case "$RALPH_MODEL" in *haiku*) usd=0.1;; *sonnet*) usd=0.3;; *) usd=1;; esac
case "$prompt" in *impossible*) say=failed;; *) say=done;; esac
echo "$RALPH_ITERATION" >> "$RALPH_TASK_ID.txt"
printf '%s\\n' '{"type":"result","subtype":"success","is_error":false,"result":"<task-'$say'>'"$RALPH_TASK_ID"'</task-'$say'>","total_cost_usd":'$usd'}'
`;

interface Table {
  readonly strategy: string;
  readonly models: readonly { readonly costUsd: number; readonly givenUpUsd: number }[];
}

test("STRAT-5 STRAT-2: a run gives up what is not worth its price, says the sum, and a person raises the value", async () => {
  project = practice();
  writeFileSync(join(project.dir, "../agent.sh"), agent);
  const tiers = "[claude-haiku-4-5, claude-sonnet-4-5, claude-opus-4-5]";
  project.write(
    ".ralph/config.yaml",
    `agent: command\nverifyBaseline: off\ntaskValueUsd: 0.6\nagents:\n  command: { argv: [sh, ../agent.sh], format: claude-stream-json, tiers: ${tiers} }\n`,
  );
  project.git("add", "-A");
  project.git("commit", "-q", "-m", "configure ralph");
  await project.approveConfig();
  const titles = Array.from({ length: tasks }, (_, n) => `${n % 6 === 2 ? "An impossible" : "A"} task ${n}`);
  await project.addTasks(titles);
  const { code, events } = await project.run();
  expect(code).toBe(4);
  const started = events.find(({ type }) => type === "run.started");
  expect(started).toMatchObject({ strategy: "adaptive" });
  expect(started?.["tiers"]).toHaveLength(3);
  const givenUp = events.filter(({ type }) => type === "task.givenup");
  const [given] = givenUp;
  expect(givenUp.map(({ title }) => title)).toEqual(titles.filter((title) => title.includes("impossible")));
  for (const { reason } of givenUp)
    expect(reason).toMatch(
      /expected \$[\d.]+ per success exceeds the task's value \$0\.60 \(ralph task retry/,
    );
  for (const { rationale } of events.filter(({ type }) => type === "iteration.started"))
    expect(rationale).toMatch(
      /^claude-\S+: \d+% for \$[\d.]+ = \$[\d.]+ per success(; claude-\S+ \$[\d.]+){2}$/,
    );
  const ended = finished(events);
  const failures = ended.filter(({ outcome }) => outcome !== "done");
  expect(failures.length).toBeLessThan(6 * givenUp.length);
  const end = events.at(-1) as { readonly costUsd?: number };
  expect(end.costUsd).toBeCloseTo(
    ended.reduce((sum, one) => sum + Number(one["costUsd"]), 0),
    6,
  );
  const table = JSON.parse((await project.ralph("strategy", "--json")).stdout) as Table;
  expect(table.strategy).toBe("adaptive");
  expect(table.models.reduce((sum, row) => sum + row.costUsd, 0)).toBeCloseTo(Number(end.costUsd), 6);
  const lost = failures.reduce((sum, one) => sum + Number(one["costUsd"]), 0);
  expect(table.models.reduce((sum, row) => sum + row.givenUpUsd, 0)).toBeCloseTo(lost, 6);
  expect((await project.ralph("strategy")).stdout).toMatch(
    /^model +attempts +verified +cost +per verified +95% +minutes +given up\nclaude-haiku-4-5 +\d+ +\d+ +\$[\d.]+ +\$[\d.]+ +\$[\d.]+–[\d.]+ +\d+ +\$[\d.]+\n/,
  );
  const explained = (await project.ralph("strategy", "explain", String(given?.["taskId"]))).stdout;
  expect(explained).toMatch(
    /^attempt 1: claude-haiku-4-5, failed, \$0\.10 · claude-haiku-4-5: \d+% for \$0\.\d+ = \$[\d.]+ per success; /,
  );
  expect(explained).toMatch(
    /^blocked: needs a person: the next attempt's expected \$[\d.]+ per success exceeds/m,
  );
  const summary = (await project.ralph("log", String(started?.["runId"]))).stdout;
  expect(summary).toMatch(/^ +per task +\$[\d.]+.*; \$[\d.]+ on what needs a person$/m);
  const retried = await project.ralph("task", "retry", String(given?.["taskId"]), "--value", "500");
  expect(retried.code).toBe(0);
  expect(finished((await project.run("--once")).events)).toHaveLength(1);
});
