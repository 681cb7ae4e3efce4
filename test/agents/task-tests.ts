import { describe, expect, test } from "vitest";
import { ralphBin } from "../e2e/practice.ts";
import type { GenuineAgent } from "./genuine-agents.ts";
import { genuineProject } from "./genuine-project.ts";

const lesson = "The release check reads out.txt as UTF-8 and refuses an empty file.";
const note = "The file is written by a command, as an edit would add a newline.";

/** What each genuine program must be able to do, through ralph's own commands. */
export function testTasks(agent: GenuineAgent, { tools = true }: { readonly tools?: boolean } = {}): void {
  describe.skipIf(!agent.found)(`the genuine ${agent.name} in the loop`, () => {
    test("TRUST-9 NOTE-1: a command of ralph's that it types in its shell is executed by the run", async () => {
      const { made } = await genuineProject(agent, {
        script: [
          { command: `${process.execPath} ${ralphBin} note add '${note}' --type learning > out.txt` },
          { text: "Written.\n\n<task-done>t-1</task-done>" },
        ],
      });
      const { events } = await made.run("--once");
      expect(events.find(({ type }) => type === "iteration.finished")).toMatchObject({ outcome: "done" });
      expect(made.read("out.txt")).toContain("Note added: [learning]");
      expect(await made.json("note", "list")).toMatchObject({ notes: [{ content: note, iteration: 1 }] });
    });

    test("LOOP-1 AGENT-1 AGENT-2 LEARN-2: completes a task, and what it stores by MCP names task and iteration", async () => {
      const stores = [
        { ralph: "memory_store", input: { lesson, category: "pitfall", tags: ["release"] } },
        { ralph: "note_add", input: { content: note, type: "learning" } },
      ];
      const { made, server } = await genuineProject(agent, {
        script: [
          ...(tools ? stores : []),
          { command: "echo hi > out.txt" },
          { text: "Written.\n\n<task-done>t-1</task-done>" },
        ],
      });
      const { code, events, stderr } = await made.run("--once");
      expect(stderr).toBe("");
      const end = events.find(({ type }) => type === "iteration.finished");
      expect(end).toMatchObject({
        outcome: "done",
        verification: "passed",
        permissionDenials: [],
        warnings: [],
      });
      expect(code).toBe(0);
      expect(made.read("out.txt")).toBe("hi\n");
      expect(end?.["tokensInput"]).toBe(agent.inputTokens(server.tokens()));
      if (!tools) return;
      const [memory] = (await made.json("memory", "list")) as readonly [Stored];
      expect(memory).toMatchObject({ lesson, category: "pitfall" });
      expect(memory.provenance).toMatchObject({ source: "tool", task: "t-1", agent: agent.name });
      expect(await made.json("note", "list")).toMatchObject({
        notes: [{ content: note, type: "learning", iteration: 1 }],
      });
    });
  });
}

interface Stored {
  readonly provenance: Readonly<Record<string, unknown>>;
}
