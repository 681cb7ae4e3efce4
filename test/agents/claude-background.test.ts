import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { backgroundScript, earlyWords, lastWords, offers } from "./background-script.ts";
import { claude, found, newRequest, waits } from "./genuine-claude.ts";
import { startModelServer } from "./model-server/model-server.ts";
import type { Body } from "./model-server/step.ts";

/** Background work as a user allows it: with values of their own. */
const allowed = {
  permission: "shell" as const,
  env: { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "0" },
  extraArgs: ["--disallowedTools", "WebSearch"],
};

describe.skipIf(!found)("the genuine Claude Code with background work", { concurrent: true }, () => {
  test("AGENT-2: by default there is none: a command of 10 s and a sub-agent run in the foreground", async () => {
    const bodies: Body[] = [];
    const script = backgroundScript(10);
    const server = await startModelServer((body) => {
      bodies.push(body);
      return script(body);
    });
    const request = newRequest();
    const result = await claude(server.url, { permission: "shell" }).run(request);
    await server.close();
    expect(result).toMatchObject({ error: null, finalMessage: lastWords, survivorsKilled: 0 });
    expect(result.tokens).toEqual(server.tokens());
    expect(server.requests()).toBe(5);
    expect(readFileSync(join(request.cwd, "built.txt"), "utf8")).toBe("built\n");
    expect(readFileSync(join(request.cwd, "checked.txt"), "utf8")).toBe("checked\n");
    for (const name of ["ScheduleWakeup", "CronCreate", "Monitor", "Workflow"])
      expect(bodies.filter((body) => offers(body, name))).toEqual([]);
    expect(bodies.filter((body) => offers(body, "Agent", "run_in_background"))).toEqual([]);
  });

  test("AGENT-2: where it is allowed, a command, a sub-agent and a wake-up are waited for", async () => {
    const server = await startModelServer(backgroundScript(waits ? 10 : 3));
    const request = newRequest({ timeoutMs: 150_000, idleTimeoutMs: 8000 });
    const result = await claude(server.url, allowed).run(request);
    await server.close();
    expect(result).toMatchObject({ error: null, finalMessage: lastWords, survivorsKilled: 0 });
    expect(result.tokens).toEqual(server.tokens());
    expect(readFileSync(join(request.cwd, "built.txt"), "utf8")).toBe("built\n");
    expect(readFileSync(request.logFile, "utf8")).toContain(earlyWords);
    if (waits) expect(result.durationMs).toBeGreaterThan(50_000);
  }, 160_000);

  test.skipIf(!waits)("LOOP-7: the task's time limit bounds the wait, and the command is ended", async () => {
    const server = await startModelServer(backgroundScript(40));
    const request = newRequest({ timeoutMs: 15_000, idleTimeoutMs: 5000 });
    const result = await claude(server.url, allowed).run(request);
    await server.close();
    expect(result.error?.kind).toBe("timeout");
    expect(result.error?.message).toContain("while it waited for background work");
    expect(existsSync(join(request.cwd, "built.txt"))).toBe(false);
  });
});
