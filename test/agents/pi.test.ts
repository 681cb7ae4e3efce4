import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Agent } from "../../src/agents/port/agent.ts";
import type { Permission } from "../../src/base/shared-settings.ts";
import { planSkillFiles, writeSkillFiles } from "../../src/memory/skills/store/write-skill-files.ts";
import { fakeEnv, newToken, running } from "../fakes/fake.ts";
import { newKnown } from "../fakes/new-agent.ts";
import { genuineAgent } from "./genuine-agents.ts";
import { levels, newRequest } from "./genuine-claude.ts";
import { glassSkill } from "./glass-skill.ts";
import { type ModelServer, startModelServer } from "./model-server/model-server.ts";
import type { Step } from "./model-server/step.ts";

const genuine = genuineAgent("pi");
const home = mkdtempSync(join(tmpdir(), "ralph-pi-"));
afterAll(() => rmSync(home, { recursive: true, force: true, maxRetries: 3 }));
let env: Readonly<Record<string, string>> = {};

async function startServer(steps: readonly Step[]): Promise<ModelServer> {
  const server = await startModelServer(steps);
  env = genuine.prepare(home, server.url);
  return server;
}

function pi(permission: Permission, readOnly = false): Agent {
  const all = { ...fakeEnv, LANG: "C.UTF-8", HOME: home, ...env };
  return newKnown("pi", { program: genuine.program, permission, readOnly, env: all });
}

const done = { text: "<task-done>t-1</task-done>" };
const model = genuine.model;

describe.skipIf(!genuine.found)("the genuine pi through its RPC mode", () => {
  test("AGENT-2 AGENT-4: refused actions are reported, allowed ones run, and tokens are those of every call", async () => {
    const server = await startServer([
      { command: "touch a.txt" },
      { command: "touch b.txt" },
      { tool: "write", input: { path: "c.txt", content: "x" } },
      { tool: "write", input: { path: "../d.txt", content: "x" } },
      done,
    ]);
    const request = newRequest({ model, allowedCommands: ["touch b.txt"] });
    const result = await pi("edit").run(request);
    await server.close();
    expect(result).toMatchObject({
      error: null,
      finalMessage: done.text,
      model: "m1",
      tokens: { input: 500, output: 100, cacheRead: 250 },
      permissionDenials: ["bash(touch a.txt)", "write(../d.txt)"],
      contextSize: 128_000,
      compactions: 0,
    });
    expect(result.contextUsed).toBeGreaterThan(0);
    const written = ["a.txt", "b.txt", "c.txt", "../d.txt"].map((file) =>
      existsSync(join(request.cwd, file)),
    );
    expect(written).toEqual([false, true, true, false]);
  });

  test("AGENT-4: plan only reads, bypass does everything, an agent that only answers has no tools", async () => {
    const steps = [{ command: "touch a.txt" }, done];
    const wroteAt = async (permission: Permission): Promise<boolean> => {
      const server = await startServer(steps);
      const request = newRequest({ model });
      expect((await pi(permission).run(request)).error).toBeNull();
      await server.close();
      return existsSync(join(request.cwd, "a.txt"));
    };
    expect([await wroteAt("plan"), await wroteAt("bypass")]).toEqual([false, true]);
    const server = await startServer([done]);
    const answered = await pi("bypass", true).run(newRequest({ model }));
    await server.close();
    expect(answered.error).toBeNull();
    expect(JSON.parse(server.bodies[0] ?? "{}")["tools"] ?? []).toEqual([]);
  });

  test("SKILL-3: it lists a skill of the project, which no person trusted by hand", async () => {
    const server = await startServer([done]);
    const request = newRequest({ model });
    const folders = { dirs: [".agents/skills"], layout: "skills" } as const;
    await writeSkillFiles(request.cwd, planSkillFiles(request.cwd, folders, glassSkill));
    const { error } = await pi("edit").run(request);
    await server.close();
    expect([error, server.bodies.filter((body) => body.includes("ios26-learned")).length]).toEqual([null, 1]);
  });

  test("AGENT-2 LOOP-8: a wrong key is a login, an error before a success is none", async () => {
    const refusing = await startServer([{ status: 401, message: "Incorrect API key provided" }]);
    const refused = await pi("shell").run(newRequest({ model }));
    await refusing.close();
    expect(refused.error).toMatchObject({ kind: "auth", hint: expect.stringContaining("/login") });
    const broken = await startServer([{ status: 500, message: "Internal server error", times: 1 }, done]);
    const mended = await pi("shell").run(newRequest({ model }));
    await broken.close();
    expect(mended).toMatchObject({ error: null, finalMessage: done.text });
  });

  test.each(levels)("LOOP-10: a stop leaves no process, at level %s", async (isolation) => {
    const token = newToken();
    const server = await startServer([{ command: `sleep 60.${token}` }, done]);
    const stop = new AbortController();
    const onActivity = (): void => void setTimeout(() => stop.abort(), 700);
    const request = newRequest({ model, signal: stop.signal, onActivity, isolation });
    const stopped = await pi("shell").run(request);
    await server.close();
    expect([stopped.error?.kind, running(token)]).toEqual(["cancelled", 0]);
  });
});
