import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Agent } from "../../src/agents/port/agent.ts";
import { safe } from "../../src/base/safe-text.ts";
import type { Permission } from "../../src/base/shared-settings.ts";
import { fakeEnv, newToken, running } from "../fakes/fake.ts";
import { newKnown } from "../fakes/new-agent.ts";
import { genuineAgent } from "./genuine-agents.ts";
import { newRequest } from "./genuine-claude.ts";
import { type ModelServer, startModelServer } from "./model-server/model-server.ts";
import type { Step } from "./model-server/step.ts";

const genuine = genuineAgent("codex");
let home = "";
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "ralph-codex-server-"));
});
afterAll(() => rmSync(home, { recursive: true, force: true, maxRetries: 3 }));
let env: Readonly<Record<string, string>> = {};

async function startServer(steps: readonly Step[]): Promise<ModelServer> {
  const server = await startModelServer(steps);
  env = genuine.prepare(home, server.url);
  return server;
}

function codex(permission: Permission = "edit"): Agent {
  return newKnown("codex", {
    program: genuine.program,
    permission,
    env: { ...fakeEnv, LANG: "C.UTF-8", HOME: home, ...env },
  });
}

const done = { text: "<task-done>t-1</task-done>" };

describe.skipIf(!genuine.found)("the genuine Codex through its app server", () => {
  test("AGENT-2 AGENT-4: a command beyond its sandbox is refused and reported, an allowed one runs, and tokens are those of every call", async () => {
    const beyond = (cmd: string): Step => ({
      tool: "exec_command",
      input: { cmd, sandbox_permissions: "require_escalated", justification: "It needs more." },
    });
    const server = await startServer([beyond("touch 'a.txt'"), beyond("touch b.txt"), done]);
    const request = newRequest({ model: "default:low", allowedCommands: ["touch b.txt"] });
    const result = await codex().run(request);
    await server.close();
    expect(result).toMatchObject({
      error: null,
      finalMessage: done.text,
      model: "gpt-5.5",
      tokens: { input: 300, output: 60, cacheRead: 150 },
      permissionDenials: ["command(touch 'a.txt')"],
      compactions: 0,
    });
    expect(server.bodies[0]).toContain('"effort":"low"');
  });

  test("AGENT-2 LOOP-8: a usage limit states its reset, a wrong key its login command", async () => {
    const resets_at = Math.floor(Date.now() / 1000) + 3600;
    const fields = { plan_type: "plus", resets_at };
    const server = await startServer([
      { status: 429, type: "usage_limit_reached", message: "limit", fields },
    ]);
    const limited = await codex().run(newRequest({ model: "default" }));
    await server.close();
    expect(limited.error?.kind).toBe("rate_limit");
    expect(Math.abs(Date.parse(limited.error?.resetAt ?? "") - resets_at * 1000)).toBeLessThan(120_000);
    const refusing = await startServer([{ status: 401, message: "Incorrect API key provided" }]);
    const refused = await codex().run(newRequest({ model: "default" }));
    await refusing.close();
    expect(refused.error).toMatchObject({ kind: "auth", hint: expect.stringContaining("codex login") });
  });

  test("AGENT-7 LOOP-10: a message reaches the turn while a command runs; a stop leaves no process", async () => {
    const server = await startServer([{ command: "sleep 3" }, done]);
    const taken: Promise<boolean>[] = [];
    let steer = async (_text: ReturnType<typeof safe>): Promise<boolean> => false;
    const request = newRequest({
      model: "default",
      onSteerable: (given) => {
        steer = given;
      },
      onActivity: ({ kind }) => {
        if (kind === "tool") taken.push(steer(safe`Look at the glass skill.`));
      },
    });
    const { error } = await codex("shell").run(request);
    await server.close();
    expect([error, await Promise.all(taken)]).toEqual([null, [true]]);
    expect(server.bodies.filter((body) => body.includes("Look at the glass skill."))).toHaveLength(1);

    const token = newToken();
    const busy = await startServer([{ command: `sleep 60.${token}` }, done]);
    const stop = new AbortController();
    const onActivity = (): void => void setTimeout(() => stop.abort(), 1000);
    const stopped = await codex("shell").run(
      newRequest({ model: "default", signal: stop.signal, onActivity }),
    );
    await busy.close();
    expect([stopped.error?.kind, running(token)]).toEqual(["cancelled", 0]);
  });
});
