import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { newToken, running } from "../fakes/fake.ts";
import { claude, found, levels, newRequest } from "./genuine-claude.ts";
import { startModelServer } from "./model-server/model-server.ts";

/** The process of Claude Code itself, not what it started, in the session that `marker` marks. */
function pidOf(marker: string): number | undefined {
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      const isClaude = /claude/.test(readlinkSync(`/proc/${name}/exe`));
      const words = readFileSync(`/proc/${name}/cmdline`, "latin1");
      const environment = readFileSync(`/proc/${name}/environ`, "latin1");
      if (isClaude && words.includes("stream-json") && environment.includes(marker)) return Number(name);
    } catch {}
  }
  return undefined;
}

const limit = { status: 429, type: "rate_limit_error", message: "This would exceed your rate limit." };
const broken = { status: 500, type: "api_error", message: "Internal server error" };
const key = { status: 401, type: "authentication_error", message: "invalid x-api-key" };
const busy = { status: 529, type: "overloaded_error", message: "Overloaded" };

describe.skipIf(!found)("the genuine Claude Code in trouble", () => {
  test.concurrent.each([
    ["429", "rate_limit", limit],
    ["429 with retry-after", "rate_limit", { ...limit, headers: { "retry-after": "1" } }],
    ["500", "overloaded", broken],
    ["529", "overloaded", busy],
    ["401", "auth", key],
    ["a stream cut in the middle", "network", { text: "All is nearly", cut: true }],
  ])("LOOP-8: after %s it gives up within a few tries, as %s", async (_, kind, step) => {
    const server = await startModelServer([step]);
    const result = await claude(server.url).run(newRequest());
    await server.close();
    expect(result.error?.kind).toBe(kind);
    expect(result.error?.message).not.toBe("");
    expect(result.error?.hint === null).toBe(kind !== "auth");
    expect(result.finalMessage).toBe("");
    expect(server.requests()).toBeLessThanOrEqual(6);
  });

  test("LOOP-8: a subscription's limit is told with its reset, after one call", async () => {
    const resets = Math.floor(Date.now() / 1000) + 5400;
    const headers = {
      "anthropic-ratelimit-unified-status": "rejected",
      "anthropic-ratelimit-unified-reset": String(resets),
      "anthropic-ratelimit-unified-representative-claim": "five_hour",
    };
    const server = await startModelServer([{ ...limit, headers }]);
    const login = { ANTHROPIC_API_KEY: "", CLAUDE_CODE_OAUTH_TOKEN: "dummy" };
    const result = await claude(server.url, { env: login }).run(newRequest());
    await server.close();
    expect(result.error).toMatchObject({
      kind: "rate_limit",
      resetAt: new Date(resets * 1000).toISOString(),
    });
    expect(server.requests()).toBe(1);
  });

  test("LOOP-8: where the server asks for a long wait it gives up at once, and the wait is ralph's", async () => {
    const server = await startModelServer([{ ...limit, headers: { "retry-after": "3600" } }]);
    const result = await claude(server.url).run(newRequest());
    await server.close();
    expect(result.error?.kind).toBe("rate_limit");
    expect(server.requests()).toBe(1);
  });

  test.each(levels)("a model that falls silent ends by the idle deadline, at level %s", async (isolation) => {
    const server = await startModelServer([{ hang: true, text: "never" }]);
    const result = await claude(server.url).run(newRequest({ isolation, idleTimeoutMs: 3000 }));
    await server.close();
    expect(result).toMatchObject({ error: { kind: "idle" }, survivorsKilled: 0 });
  });

  const signals = ["SIGINT", "SIGTERM", "SIGKILL"] as const;
  const cases = signals.flatMap((signal) => levels.map((level) => [signal, level] as const));
  test.each(cases)(
    "LOOP-10: killed in a tool call by %s, at level %s, nothing is left",
    async (signal, isolation) => {
      const token = newToken();
      const server = await startModelServer([{ command: `sleep 60.${token}` }, { text: "never" }]);
      const request = newRequest({ isolation });
      const strike = setInterval(() => {
        const pid = running(token) > 0 ? pidOf(request.marker) : undefined;
        if (pid === undefined) return;
        clearInterval(strike);
        process.kill(pid, signal);
      }, 50);
      const result = await claude(server.url, { permission: "shell" }).run(request);
      clearInterval(strike);
      await server.close();
      expect(result.error?.kind).toBe("killed");
      expect(result.finalMessage).toBe("");
      expect(running(token)).toBe(0);
    },
  );
});
