import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Agent } from "../../src/agents/agent.ts";
import type { Permission } from "../../src/base/agent-settings.ts";
import { fakeEnv } from "../fakes/fake.ts";
import { newKnown } from "../fakes/new-agent.ts";
import { startAcpModelServer } from "./acp-model-server.mjs";
import { newRequest } from "./genuine-claude.ts";

/** The genuine programs: those on PATH, or those that RALPH_TEST_GEMINI and RALPH_TEST_OPENCODE name. */
const programs = {
  gemini: process.env["RALPH_TEST_GEMINI"] ?? "gemini",
  opencode: process.env["RALPH_TEST_OPENCODE"] ?? "opencode",
} as const;
type Name = keyof typeof programs;

const home = mkdtempSync(join(tmpdir(), "ralph-acp-home-"));
afterAll(() => rmSync(home, { recursive: true, force: true, maxRetries: 3 }));
mkdirSync(join(home, ".gemini"));
writeFileSync(
  join(home, ".gemini", "settings.json"),
  JSON.stringify({
    security: { auth: { selectedType: "gemini-api-key" } },
    privacy: { usageStatisticsEnabled: false },
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
  }),
);

function opencodeConfig(url: string): string {
  const models = {
    m1: { name: "m1", limit: { context: 200_000, output: 8192 }, cost: { input: 3, output: 15 } },
  };
  const options = { baseURL: `${url}/v1`, apiKey: "dummy" };
  const provider = { local: { npm: "@ai-sdk/openai-compatible", options, models } };
  return JSON.stringify({ autoupdate: false, share: "disabled", model: "local/m1", provider });
}

function agent(name: Name, url: string, permission: Permission = "edit"): Agent {
  const env = {
    ...fakeEnv,
    LANG: "C.UTF-8",
    HOME: home,
    GEMINI_CLI_HOME: home,
    GEMINI_API_KEY: "dummy",
    GOOGLE_GEMINI_BASE_URL: url,
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_CONFIG_CONTENT: opencodeConfig(url),
  };
  return newKnown(name, { program: programs[name], permission, env });
}

const models = { gemini: "gemini-2.5-flash", opencode: "local/m1" } as const;
const done = { text: "<task-done>t-1</task-done>" };

for (const name of ["gemini", "opencode"] as const) {
  const { found } = await agent(name, "http://127.0.0.1:9").probe();
  if (!found)
    process.stderr.write(`skipped: the tests with the genuine ${programs[name]}, which is not on PATH\n`);

  describe.skipIf(!found)(`the genuine ${name} through ACP`, () => {
    const model = models[name];

    test("AGENT-1 AGENT-4: at `shell` a command runs, at `edit` it is refused and reported", async () => {
      const server = await startAcpModelServer([{ command: "echo hi > out.txt" }, done]);
      const allowed = newRequest({ model });
      expect(await agent(name, server.url, "shell").run(allowed)).toMatchObject({
        error: null,
        finalMessage: done.text,
        model,
        permissionDenials: [],
      });
      expect(existsSync(join(allowed.cwd, "out.txt"))).toBe(true);
      const refused = newRequest({ model });
      expect(await agent(name, server.url).run(refused)).toMatchObject({
        error: null,
        permissionDenials: ["execute(echo hi > out.txt)"],
      });
      server.close();
      expect(existsSync(join(refused.cwd, "out.txt"))).toBe(false);
    });

    test("AGENT-2: a wrong key is told with the login command", async () => {
      const server = await startAcpModelServer([{ status: 401, message: "Incorrect API key provided" }]);
      const { error } = await agent(name, server.url).run(newRequest({ model }));
      server.close();
      expect(error).toMatchObject({ kind: "auth", message: "Incorrect API key provided" });
      expect(error?.hint).toContain(name);
    });

    test("AGENT-7: a rate limit that it retries in silence is a limit within 60 s", async () => {
      const server = await startAcpModelServer([{ status: 429, message: "Rate limit reached for requests" }]);
      const { error, durationMs } = await agent(name, server.url).run(
        newRequest({ model, timeoutMs: 120_000 }),
      );
      server.close();
      expect(error).toMatchObject({ kind: "rate_limit", message: "Rate limit reached for requests" });
      expect(durationMs).toBeLessThan(60_000);
    });
  });
}
