import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, test, vi } from "vitest";
import { variants } from "../test-size.ts";
import { of, removeProjects, setUp, types } from "./limited-agents.ts";
import { duringIteration, waitForPerson } from "./practice.ts";

afterAll(removeProjects);

const work = { write: { "{id}.txt": "done\n" } };

const refused = (seconds: number) => ({
  refuse: { words: `You've hit your usage limit. Try again in ${seconds}s.` },
});

const talk =
  "I added the dependency ratelimit and express-rate-limit.\nOn 429 Too Many Requests the client says: rate limit reached.\nYou've hit your usage limit. Try again in 3 hours.\nNot logged in, credit balance too low, 529 Overloaded.";

// Side by side, as most of their time is waiting.
describe.concurrent("limits", { timeout: 120_000 }, () => {
  test("LOOP-8 LOOP-17: a limit that is met twice is waited for twice, as is the loss of the network; neither burns an attempt", async () => {
    const lost = { refuse: { words: "API Error: Unable to connect to API (ECONNREFUSED)" } };
    const command = { "t-1": [refused(1), refused(1), work], "t-2": [lost, work] };
    const on = await setUp({ agents: ["command"], command, tasks: 2 });
    const { code, events } = await on.project.run();
    expect(types(events)).toEqual([
      ...["iteration.started", "iteration.interrupted", "limit.waiting", "limit.over"],
      ...["iteration.started", "iteration.interrupted", "limit.waiting", "limit.over"],
      ...["iteration.started", "iteration.finished"],
      ...["iteration.started", "iteration.interrupted", "limit.waiting", "limit.over"],
      ...["iteration.started", "iteration.finished"],
    ]);
    const waits = of(events, "limit.waiting");
    expect(waits[2]).toMatchObject({ kind: "network", resetAt: null });
    for (const [index, waiting] of waits.slice(0, 2).entries()) {
      const { agent, model, kind, until, resetAt, waitMs } = waiting;
      expect({ agent, model, kind }).toEqual({ agent: "command", model: null, kind: "rate_limit" });
      expect(Date.parse(`${until}`)).toBeGreaterThan(Date.parse(`${resetAt}`));
      expect(waitMs).toBeGreaterThan(0);
      const over = of(events, "limit.over")[index];
      expect(over?.["timestamp"] && over["timestamp"] >= `${until}`).toBe(true);
    }
    const done = { attempt: 1, outcome: "done" };
    expect(of(events, "iteration.finished")).toMatchObject([done, done]);
    const stored = { attempts: 1, status: "done" };
    expect(await on.attempts()).toMatchObject([stored, stored]);
    expect([code, on.calls("command")]).toEqual([0, 5]);
    const summary = expect.stringContaining("(5 iterations in ");
    expect(events.at(-1)).toMatchObject({ iterations: 5, summary });
    expect((await on.project.ralph("status")).stdout).toContain(": done, 5 iterations; 2 of 2 attempts done");
  });

  test("LOOP-8 LOOP-10 LOOP-11: a wait outlives kill -9, is seen in ralph status, does not bind another agent, and ends with Ctrl-C", async () => {
    const command = { "t-1": [refused(3500), work], "t-2": [work] };
    const on = await setUp({ agents: ["command"], command, claude: { "*": [work] }, tasks: 2 });
    const killed = on.startRun();
    await killed.seen("limit.waiting");
    const active = await on.project.ralph("status");
    expect(active.stdout).toMatch(
      /^limit {4}command is rate-limited: resets in 5\dm(?: \d\ds)? \((?:\w{3} )?\d\d:\d\d\)$/m,
    );
    killed.child.kill("SIGKILL");
    await killed.ended;
    const after = await on.project.answer("status", "--json");
    expect(JSON.parse(after.stdout)).toMatchObject({
      limits: [{ agent: "command", kind: "rate_limit" }],
    });
    const other = await on.project.run("--agent", "claude", "--once");
    expect(types(other.events)).toEqual(["iteration.started", "iteration.finished"]);
    const again = on.startRun();
    await again.seen("limit.waiting");
    again.child.kill("SIGINT");
    await again.ended;
    const until = of(killed.events(), "limit.waiting")[0]?.["until"];
    expect(types(again.events())).toEqual(["limit.waiting"]);
    expect(of(again.events(), "limit.waiting")).toMatchObject([{ agent: "command", until }]);
    // LOOP-10: Ctrl-C ends a wait of hours.
    expect(again.events().at(-1)).toMatchObject({ type: "run.finished", reason: "stopped" });
    expect(await on.attempts()).toMatchObject([{ status: "done" }, { attempts: 0, status: "pending" }]);
    expect([on.calls("command"), on.calls("claude")]).toEqual([1, 1]);
  });

  test.each(variants(["limit.waiting", "run.paused"], 1))(
    "PROMPT-6 LOOP-8: what attempts left to write and to remove is done while a run waits for hours: %s",
    async (wait) => {
      const isPause = wait === "run.paused";
      const say =
        "<learning>Always use pnpm in this repository: npm breaks its lock file.</learning>\n<task-done>{id}</task-done>";
      const learns = { ...work, say, ...(isPause ? { run: [waitForPerson] } : {}) };
      const command = { "t-1": [learns], "t-2": [refused(4000)] };
      const on = await setUp({ agents: ["command"], command, tasks: 2 });
      const run = on.startRun();
      if (isPause) await duringIteration(on.project, () => on.project.ralph("pause"));
      await run.seen(wait);
      const entries = (folder: string): readonly string[] =>
        readdirSync(join(on.project.dir, ".ralph", folder));
      const written = (): unknown => ({
        prompts: entries(`logs/${entries("logs")[0]}`).filter((name) => name.endsWith(".prompt.md")).length,
        temporary: entries("tmp"),
        records: entries("learnings").length,
      });
      try {
        await vi.waitFor(
          () => expect(written()).toEqual({ prompts: isPause ? 1 : 2, temporary: [], records: 1 }),
          10_000,
        );
      } finally {
        run.child.kill("SIGKILL");
        await run.ended;
      }
    },
  );

  test("LOOP-8: the next agent of the list works while the first is limited, and the first again afterwards", async () => {
    const refuse = { words: "You've hit your session limit · resets 1pm", resetsIn: 3 };
    const on = await setUp({
      agents: ["claude", "command"],
      claude: { "t-1": [{ refuse }], "*": [work] },
      command: { "*": [{ ...work, run: [["sh", "-c", "while [ ! -e ../go ]; do sleep 0.05; done"]] }] },
      tasks: 2,
    });
    const run = on.startRun();
    await run.seen("limit.fallback");
    const until = Date.parse(`${of(run.events(), "limit.fallback")[0]?.["until"]}`);
    await sleep(Math.max(0, until - Date.now()) + 100);
    on.project.write("../go", "");
    await run.ended;
    const events = run.events();
    const started = of(events, "iteration.started").map(({ agent, taskId }) => [agent, taskId]);
    expect(started).toEqual([
      ["claude", "t-1"],
      ["command", "t-1"],
      ["claude", "t-2"],
    ]);
    expect(of(events, "limit.fallback")).toMatchObject([{ agent: "claude", standIn: "command" }]);
    expect(of(events, "limit.waiting")).toEqual([]);
    expect(of(events, "iteration.finished").map(({ attempt }) => attempt)).toEqual([1, 1]);
    expect(run.child.exitCode).toBe(0);
  });

  test.each(
    variants(
      [
        [
          "claude",
          { words: "Invalid API key · Please run /login", status: 401, hint: "claude /login" },
          {
            words: "Your credit balance is too low to access the Anthropic API.",
            status: 400,
            hint: "credit",
          },
        ],
        [
          "command",
          { words: "Not logged in · Please run /login", status: 0, hint: "Log in to the agent" },
          { words: "Credit balance is too low", status: 0, hint: "Add credit" },
        ],
      ] as const,
      1,
    ),
  )(
    "LOOP-8 LOOP-14: a missing login or credit of %s stops the run after one call, after two if only words say so",
    async (agent, auth, credit) => {
      const times = agent === "claude" ? 1 : 2;
      const other = agent === "claude" ? "command" : "claude";
      const refusals = [auth, credit].flatMap(({ words, status }) =>
        Array.from({ length: times }, () => ({ refuse: { words, status } })),
      );
      const on = await setUp({ agents: [agent, other], [agent]: { "t-1": refusals }, tasks: 2 });
      for (const [before, reason, { hint }] of [[0, "auth", auth] as const, [1, "credit", credit] as const]) {
        const { code, events } = await on.project.run();
        expect(events.at(-1)).toMatchObject({ type: "run.finished", reason, exitCode: 5 });
        expect(`${events.at(-1)?.["hint"]}`).toContain(hint);
        expect([code, on.calls(agent), on.calls(other)]).toEqual([5, (before + 1) * times, 0]);
      }
      if (agent === "claude") {
        const { stdout } = await on.project.ralph("run");
        expect(stdout.match(/hint:/g)).toHaveLength(1);
      }
      expect(await on.attempts()).toMatchObject([{ attempts: 0 }, { attempts: 0 }]);
    },
  );

  test("LOOP-8 LOOP-7: a limit that outlasts --max-duration ends the run at once", async () => {
    const on = await setUp({ agents: ["command"], command: { "*": [refused(3000)] } });
    const { code, events } = await on.project.run("--max-duration", "30m");
    expect(events.at(-1)).toMatchObject({
      reason: "max-duration",
      summary: expect.stringContaining("limited"),
    });
    expect([code, on.calls("command"), of(events, "limit.waiting").length]).toEqual([3, 1, 0]);
  });

  test("LOOP-8: the words in prose, tool results, packages and verification trigger nothing", async () => {
    const tool = { type: "user", message: { content: [{ type: "tool_result", content: talk }] } };
    const prose = { type: "assistant", message: { id: "m", content: [{ type: "text", text: talk }] } };
    const say = `${talk}\n\n<task-done>{id}</task-done>`;
    const file = { write: { "{id}.txt": talk, "package.json": '{"dependencies":{"ratelimit":"1"}}' } };
    const on = await setUp({
      agents: ["claude"],
      claude: { "*": [{ ...file, say, events: [tool, prose] }] },
      config: `verify: ["echo '429 Too Many Requests: rate limit reached' >&2; test -f two"]\n`,
    });
    const first = await on.project.run("--once");
    on.project.write("two", "");
    const { code, events } = await on.project.run("--agent", "claude");
    for (const all of [first.events, events]) {
      expect(types(all)).toEqual(["iteration.started", "iteration.finished"]);
    }
    expect(of(first.events, "iteration.finished")).toMatchObject([{ outcome: "failed", attempt: 1 }]);
    expect([code, on.calls("claude")]).toEqual([0, 2]);
  });
});
