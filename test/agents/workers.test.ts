import { describe, expect, test } from "vitest";
import { ralphBin } from "../e2e/practice.ts";
import { genuineAgent } from "./genuine-agents.ts";
import { genuineProject } from "./genuine-project.ts";

const ralph = `${process.execPath} ${ralphBin}`;

describe.each(["claude", "codex"] as const)("workers of the genuine %s", (name) => {
  const agent = genuineAgent(name);

  test.skipIf(!agent.found)("FLEET-2: two slots, three tasks, one conflict: all land, verified", async () => {
    const { made } = await genuineProject(agent, {
      verify: "true",
      script: [
        { command: "echo $RALPH_TASK_ID > shared.txt; echo hi > $RALPH_TASK_ID.txt; sleep 1" },
        { command: `${ralph} task done $RALPH_TASK_ID` },
        { text: "Written." },
      ],
    });
    await made.addTasks([
      { id: "t-2", title: "two" },
      { id: "t-3", title: "three" },
    ]);
    const { code, events } = await made.run("--workers", "2");
    const ends = events.filter(({ type }) => type === "iteration.finished");
    expect(code).toBe(0);
    expect(ends.filter(({ outcome }) => outcome === "done")).toHaveLength(3);
    expect(ends.some(({ reason }) => String(reason).includes("conflicts in shared.txt"))).toBe(true);
    const branch = String(events.at(-1)?.["landedOn"]);
    expect(made.git("ls-tree", "--name-only", branch).split("\n")).toEqual(
      expect.arrayContaining(["shared.txt", "t-1.txt", "t-2.txt", "t-3.txt"]),
    );
    expect(made.git("log", "--format=%s", `main..${branch}`).split("\n")).toHaveLength(3);
  });
});
