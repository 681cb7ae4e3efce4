import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Agent } from "../../src/agents/agent.ts";
import type { Permission } from "../../src/base/agent-settings.ts";
import { fakeEnv } from "../fakes/fake.ts";
import { newKnown } from "../fakes/new-agent.ts";
import { genuineAgent } from "./genuine-agents.ts";
import { newRequest } from "./genuine-claude.ts";
import { startModelServer } from "./model-server/model-server.ts";

const home = mkdtempSync(join(tmpdir(), "ralph-acp-home-"));
afterAll(() => rmSync(home, { recursive: true, force: true, maxRetries: 3 }));

const done = { text: "<task-done>t-1</task-done>" };

for (const name of ["gemini", "opencode"] as const) {
  const { found, program, model, prepare } = genuineAgent(name);
  const agent = (url: string, permission: Permission = "edit"): Agent => {
    const env = { ...fakeEnv, LANG: "C.UTF-8", HOME: home, ...prepare(home, url) };
    return newKnown(name, { program, permission, env });
  };

  describe.skipIf(!found)(`the genuine ${name} through ACP`, () => {
    test("AGENT-1 AGENT-4: at `shell` a command runs, at `edit` it is refused and reported", async () => {
      const server = await startModelServer([{ command: "echo hi > out.txt" }, done]);
      const allowed = newRequest({ model });
      expect(await agent(server.url, "shell").run(allowed)).toMatchObject({
        error: null,
        finalMessage: done.text,
        model,
        permissionDenials: [],
      });
      expect(existsSync(join(allowed.cwd, "out.txt"))).toBe(true);
      const refused = newRequest({ model });
      expect(await agent(server.url).run(refused)).toMatchObject({
        error: null,
        permissionDenials: ["execute(echo hi > out.txt)"],
      });
      await server.close();
      expect(existsSync(join(refused.cwd, "out.txt"))).toBe(false);
    });

    test("AGENT-2: a wrong key is told with the login command", async () => {
      const server = await startModelServer([{ status: 401, message: "Incorrect API key provided" }]);
      const { error } = await agent(server.url).run(newRequest({ model }));
      await server.close();
      expect(error).toMatchObject({ kind: "auth", message: "Incorrect API key provided" });
      expect(error?.hint).toContain(name);
    });

    test("AGENT-7: a rate limit that it retries in silence is a limit within 60 s", async () => {
      const server = await startModelServer([{ status: 429, message: "Rate limit reached for requests" }]);
      const { error, durationMs } = await agent(server.url).run(newRequest({ model, timeoutMs: 120_000 }));
      await server.close();
      expect(error).toMatchObject({ kind: "rate_limit", message: "Rate limit reached for requests" });
      expect(durationMs).toBeLessThan(60_000);
    });
  });
}
