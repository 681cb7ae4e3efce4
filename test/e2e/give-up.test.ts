import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { finished, type Practice, practice } from "./practice.ts";

let project: Practice;
afterEach(() => project.remove());

/** An agent whose session costs as much as its model, and that never finishes a task called impossible. */
const agent = `prompt=$(cat)
case "$RALPH_MODEL" in *haiku*) usd=0.1;; *sonnet*) usd=0.3;; *) usd=1;; esac
case "$prompt" in *impossible*) say=failed;; *) say=done;; esac
echo "$RALPH_ITERATION" >> "$RALPH_TASK_ID.txt"
printf '%s\\n' '{"type":"result","subtype":"success","is_error":false,"result":"<task-'$say'>'"$RALPH_TASK_ID"'</task-'$say'>","total_cost_usd":'$usd'}'
`;

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
  await project.addTasks(["Write one", "Write two", "An impossible task", "Write four"]);
  const { code, events } = await project.run();
  expect(code).toBe(4);
  expect(events.find(({ type }) => type === "run.started")).toMatchObject({ strategy: "adaptive" });
  const [given, ...more] = events.filter(({ type }) => type === "task.givenup");
  expect(more).toEqual([]);
  expect(given?.["reason"]).toMatch(
    /expected \$[\d.]+ per success exceeds the task's value \$0\.60 \(ralph task retry/,
  );
  const ended = finished(events);
  const failures = ended.filter(({ outcome }) => outcome !== "done");
  expect(failures.length).toBeLessThan(6);
  const end = events.at(-1) as { readonly costUsd?: number };
  expect(end.costUsd).toBeCloseTo(
    ended.reduce((sum, one) => sum + Number(one["costUsd"]), 0),
    6,
  );
  const retried = await project.ralph("task", "retry", String(given?.["taskId"]), "--value", "500");
  expect(retried.code).toBe(0);
  expect(finished((await project.run("--once")).events)).toHaveLength(1);
});
