import { afterEach, expect, test } from "vitest";
import { type Practice, practice } from "../e2e/practice.ts";

let project: Practice;
afterEach(() => project?.remove());

test("FLEET-2: what a failed attempt left returns in whichever slot takes the retry, and no ref of it outlives the task", async () => {
  const second = "if [ -e draft.txt ]; then mv draft.txt done.txt; else echo x > draft.txt; fi";
  project = practice({
    "agent.sh": `id=$(cat | grep -om1 't-[0-9]*' | head -1)\n${second}\necho "<task-done>$id</task-done>"\n`,
    "check.sh": "[ ! -e draft.txt ]\n",
    ".gitignore": ".ralph/\n",
  });
  project.write(
    ".ralph/config.yaml",
    "agent: command\nagents: { command: { argv: [bash, agent.sh] } }\nverify: [sh check.sh]\nhivemind: { store: off }\nlimits: { maxAttempts: 4 }\n",
  );
  await project.approveConfig();
  await project.addTasks(["one"]);
  const { code, events } = await project.run("--workers", "3");
  const attempts = events.filter(({ type }) => type === "iteration.started").length;
  expect([code, attempts, project.git("for-each-ref", "refs/ralph")]).toEqual([0, 2, ""]);
});
