import { afterEach, expect, test } from "vitest";
import { finished, type Practice, practice } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

const ids = ["a", "b", "c", "d"];

async function run(script: string, tasks = ids) {
  project = practice({ "agent.sh": `cat > /dev/null\n${script}\n`, "check.sh": "exit 0\n" });
  project.write(
    ".ralph/config.yaml",
    'agent: command\nagents: { command: { argv: [bash, agent.sh] } }\nverify: ["sh check.sh"]\n',
  );
  await project.approveConfig();
  await project.addTasks(tasks.map((id) => ({ id, title: `task ${id}` })));
  const { code, events } = await project.run();
  const interrupted = events.filter(({ type }) => type === "iteration.interrupted");
  const end = events.at(-1);
  return { code, end, interrupted, judged: finished(events) };
}

const done = 'echo x > "$RALPH_TASK_ID.txt"; echo "<task-done>$RALPH_TASK_ID</task-done>"';

test.each([
  ["cannot start", 'echo "Error: no model is configured" >&2; exit 1'],
  ["says it on stdout", 'echo "unexpected argument --foo"; exit 2'],
  ["prints nothing", "exit 0"],
])("LOOP-26: an agent that %s ends the run after two tasks, which keep their attempts", async (_, script) => {
  const { code, end, interrupted, judged } = await run(script);
  expect(code).toBe(5);
  expect(end).toMatchObject({ reason: "unusable" });
  expect(interrupted.map(({ taskId }) => taskId)).toEqual(["a", "b"]);
  expect(judged).toEqual([]);
});

test("LOOP-26: a fault of one task alone costs it its attempts, and the others are done", async () => {
  const { code, judged } = await run(
    `if [ "$RALPH_TASK_ID" = a ]; then echo "no such file" >&2; exit 1; fi\n${done}`,
  );
  expect(code).toBe(4);
  expect(judged.filter(({ outcome }) => outcome === "done").map(({ taskId }) => taskId)).toEqual([
    "b",
    "c",
    "d",
  ]);
  expect(judged.some(({ taskId }) => taskId === "a")).toBe(true);
});

test("LOOP-26: a session that changed something is judged, whatever its exit code", async () => {
  const { interrupted, judged } = await run('echo x >> half.txt; echo "Error: x" >&2; exit 1', ["a"]);
  expect(interrupted).toEqual([]);
  expect(judged.length).toBeGreaterThan(0);
});
