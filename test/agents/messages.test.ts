import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { ralphStart } from "../e2e/practice.ts";
import { type AgentName, genuineAgent } from "./genuine-agents.ts";
import { genuineProject } from "./genuine-project.ts";

const names: readonly AgentName[] = ["claude", "codex", "pi"];

describe.each(names)("the genuine %s and a message while it works", (name) => {
  const agent = genuineAgent(name);

  test.skipIf(!agent.found)(
    "AGENT-7 LOOP-13: one sent while a tool runs is in the next request, once, and the turn ends once",
    async () => {
      const { made, server } = await genuineProject(agent, {
        script: [{ command: "sleep 4; echo hi > out.txt" }, { text: "Written.\n<task-done>t-1</task-done>" }],
      });
      const run = spawn(process.execPath, [...ralphStart, "run", "--once", "--json"], {
        cwd: made.dir,
        env: made.env,
        stdio: ["ignore", "pipe", "ignore"],
      });
      onTestFinished(() => void run.kill("SIGKILL"));
      let output = "";
      run.stdout.on("data", (chunk: Buffer) => {
        output += chunk.toString();
      });
      const ended = new Promise((done) => run.once("close", done));
      for (let n = 0; n < 1200 && !output.includes('"kind":"tool"'); n++) await sleep(25);
      const said = await made.json("message", "--now", "Look at the glass skill.");
      expect(said).toMatchObject({ now: expect.stringMatching(/^pass(ed|ing)$/), agent: name });
      expect(await ended).toBe(0);
      expect(await made.json("message", "--list")).toMatchObject([{ now: "passed", deliveredTaskId: "t-1" }]);
      const bodies = server.bodies.filter(
        (body) => body.includes("sleep 4") || body.includes("Write out.txt"),
      );
      expect(bodies.map((body) => body.split("glass skill").length - 1)).toEqual([0, 1]);
      const last = output.split("\n").find((line) => line.includes('"iteration.finished"'));
      expect(JSON.parse(last ?? "{}")).toMatchObject({ outcome: "done", warnings: [] });
    },
  );
});
