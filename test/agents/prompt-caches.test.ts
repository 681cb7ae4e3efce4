import { describe, expect, test } from "vitest";
import { type AgentName, genuineAgent } from "./genuine-agents.ts";
import { genuineProject } from "./genuine-project.ts";
import type { Body } from "./model-server/step.ts";

const names: readonly AgentName[] = ["claude", "codex", "opencode", "pi"];

describe.each(names)("the genuine %s", (name) => {
  const agent = genuineAgent(name);
  test.skipIf(!agent.found)(
    "AGENT-1: two iterations begin with the same tools and instructions, which the provider has cached",
    { timeout: 120_000 },
    async () => {
      const done = (id: string) => [{ text: `Written.\n<task-done>${id}</task-done>` }];
      const { made, server } = await genuineProject(agent, {
        script: ({ ...body }) => done(JSON.stringify(body).includes("Write other.txt") ? "t-2" : "t-1"),
        files: { "out.txt": "" },
      });
      await made.addTasks([{ id: "t-2", title: "Write other.txt" }]);
      await made.run();
      const [first = "", second = ""] = ["Write out.txt", "Write other.txt"].map((title) =>
        systemPart(server.bodies.find((body) => body.includes(title) && body.includes('"tools":[{')) ?? "{}"),
      );
      expect(first.length).toBeGreaterThan(5000);
      const differs = [...first].findIndex((char, at) => char !== second[at]);
      const shared = differs === -1 ? first.length : differs;
      expect(shared / first.length, first.slice(shared - 80, shared + 80)).toBeGreaterThan(0.95);
    },
  );
});

/** The part of a request before the first words of the user, in the order in which providers cache it. */
function systemPart(text: string): string {
  const { tools, system, instructions, input, messages } = JSON.parse(text) as Body & Record<string, unknown>;
  const lead = [...((input ?? messages ?? []) as readonly Message[])];
  const user = lead.findIndex(({ role }) => role === "user");
  // Messages have ids, which the model does not read.
  const before = lead.slice(0, user).map(({ role, content }) => ({ role, content }));
  return JSON.stringify([tools, system, instructions, before]);
}

interface Message {
  readonly role?: string;
  readonly content?: unknown;
}
