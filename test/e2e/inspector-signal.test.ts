import { afterEach, expect, test } from "vitest";
import { finished, type Practice, practice, type RunEvent } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

test("TRUST-10: a signal of an agent does not open Node's inspector, by which it could change ralph", async () => {
  project = practice();
  const signal = `ralph=$(awk '/^PPid/ { print $2 }' /proc/$PPID/status); tr '\\0' ' ' < /proc/$ralph/cmdline > ../signalled; kill -USR1 $ralph; sleep 0.5`;
  const step = { write: { "a.txt": "x" }, run: [["sh", "-c", signal]] };
  await project.useWorker({ a: [step] }, 'verify: ["true"]\nsandbox: off\n');
  await project.addTasks([{ id: "a", title: "task a" }]);
  const { stdout, stderr } = await project.start("run", "--json");
  const lines = stdout.split("\n").filter((line) => line.endsWith("}"));
  const events = lines.map((line) => JSON.parse(line) as RunEvent);
  expect(project.read("../signalled")).toMatch(/ralph\.js run --json/);
  expect(finished(events)).toMatchObject([{ outcome: "done" }]);
  expect(stderr).not.toMatch(/debugger|inspector/i);
});
