import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { endFakes, fake, fakeEnv, newToken, running } from "../../test/fakes/fake.ts";
import { processLevels } from "../../test/process-levels.ts";
import { scaledLimit } from "../../test/scaled-limit.ts";
import { variants } from "../../test/test-size.ts";
import { type ProcessInput, type ProcessRequest, type ProcessResult, runProcess } from "./run-process.ts";

const folder = mkdtempSync(join(tmpdir(), "ralph-process-"));
afterAll(async () => {
  await endFakes();
  rmSync(folder, { recursive: true, force: true });
});
const levels = await processLevels(folder);

type Run = ProcessResult & { readonly out: string; readonly err: string };

async function run(
  argv: readonly [string, ...string[]],
  changes: Partial<ProcessRequest> = {},
): Promise<Run> {
  let out = "";
  let err = "";
  const result = await runProcess({
    argv,
    cwd: folder,
    env: fakeEnv,
    marker: `marker-${newToken()}`,
    isolation: "process-group",
    timeoutMs: 120_000,
    idleTimeoutMs: null,
    signal: new AbortController().signal,
    onStderr: (chunk) => {
      err += chunk.toString();
    },
    ...changes,
    onStdout: (chunk) => {
      out += chunk.toString();
      changes.onStdout?.(chunk);
    },
  });
  return { ...result, out, err };
}

function abortedIn(ms: number): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), ms);
  return controller.signal;
}

/** Stops the fake when it has said that it is ready to be stopped. */
function stopWhenReady(): { readonly signal: AbortSignal; readonly onStdout: (chunk: Buffer) => void } {
  const stop = new AbortController();
  return { signal: stop.signal, onStdout: () => stop.abort() };
}

const ways = [
  "setsid",
  "env-i-double-fork",
  "setsid-holds-stdout",
  "double-fork",
  "ignore-term",
  "nohup",
  "child",
  "env-i",
  "env-i-setsid",
  "stopped",
];

describe.concurrent.each(levels)("LOOP-10: at level %s", (_, level) => {
  // A namespace ends with its first process, whatever is in it.
  const tried = variants(ways, level.isolation === "process-group" ? ways.length : 2);

  test.each(tried)("what outlives the program is killed and counted: %s", async (way) => {
    const token = newToken();
    const result = await run(fake("leave-behind", way, token), { ...level });
    expect(running(token)).toBe(0);
    expect(result).toMatchObject({ ended: "exited", exitCode: 0, survivorsKilled: 1, out: "left one\n" });
  });

  test("a chain of processes that each start the next and end is ended too", async () => {
    const token = newToken();
    const result = await run(fake("leave-behind", "respawner", token), { ...level });
    // How many were killed is open: the count may fall between two lives.
    expect(result).toMatchObject({ ended: "exited", exitCode: 0 });
    await sleep(300);
    expect(running(token)).toBe(0);
  });

  test("nothing is left of a program that is stopped", async () => {
    const left = tried.map(async (way) => {
      const token = newToken();
      const stop = way === "setsid" ? { timeoutMs: scaledLimit(8000) } : stopWhenReady();
      const result = await run(fake("leave-behind", way, token, "stay"), { ...level, ...stop, graceMs: 300 });
      return { way, ended: result.ended, out: result.out, running: running(token) };
    });
    const ended = (way: string): string => (way === "setsid" ? "timeout" : "cancelled");
    const nothing = tried.map((way) => ({ way, ended: ended(way), out: "left one\n", running: 0 }));
    expect(await Promise.all(left)).toEqual(nothing);
  });

  test("exit codes come through", async () => {
    for (const code of ["0", "1", "7", "127", "255"]) {
      const result = await run(["sh", "-c", `printf word; exit ${code}`], { ...level });
      expect(result).toMatchObject({ exitCode: Number(code), signal: null, ended: "exited", out: "word" });
    }
  });

  test("a death by signal is told apart from an exit code", async () => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL", "SIGSEGV", "SIGABRT"]) {
      const result = await run(["sh", "-c", `kill -${signal.slice(3)} $$`], { ...level });
      expect(result).toMatchObject({ exitCode: null, signal, ended: "exited" });
    }
  });
});

describe.concurrent.each(variants(levels, 1))("LOOP-10: at level %s", (_, level) => {
  test("the first rung of the ladder is SIGINT, or SIGTERM when asked", async () => {
    const first = await run(fake("polite"), { ...level, ...stopWhenReady() });
    const asked = await run(fake("polite"), { ...level, ...stopWhenReady(), stopSignal: "SIGTERM" });
    expect(first).toMatchObject({ ended: "cancelled", exitCode: 0, signal: null });
    expect(asked).toMatchObject({ ended: "cancelled", exitCode: 0, signal: null });
    expect([first.out, asked.out]).toEqual(["ready\nSIGINT\n", "ready\nSIGTERM\n"]);
  });

  test("the last rung is SIGKILL after the grace", async () => {
    const start = performance.now();
    const result = await run(fake("ignore-term"), { ...level, ...stopWhenReady(), graceMs: 400 });
    expect(result).toMatchObject({ ended: "cancelled", exitCode: null, signal: "SIGKILL", err: "" });
    expect(performance.now() - start).toBeGreaterThanOrEqual(400);
  });

  test("a second stop does not wait for the grace", async () => {
    const stop = stopWhenReady();
    const force = new AbortController();
    stop.signal.addEventListener("abort", () => setTimeout(() => force.abort(), 100));
    const result = await run(fake("ignore-term"), {
      ...level,
      ...stop,
      forceSignal: force.signal,
      graceMs: 20_000,
    });
    expect(result).toMatchObject({ ended: "cancelled", signal: "SIGKILL" });
    expect(result.durationMs).toBeLessThan(scaledLimit(15_000));
  });

  test("the first cause stands, whatever comes of it", async () => {
    const stop = stopWhenReady();
    const answered = new AbortController();
    stop.signal.addEventListener("abort", () => answered.abort());
    const afterResult = { seen: answered.signal, graceMs: 100 };
    const result = await run(fake("ignore-term"), { ...level, ...stop, afterResult, graceMs: 500 });
    expect(result).toMatchObject({ ended: "cancelled", signal: "SIGKILL" });
    const silent = await run(fake("ignore-term", "silent"), {
      ...level,
      idleTimeoutMs: 100,
      timeoutMs: 200,
    });
    expect(silent.ended).toBe("idle");
  });

  test("a byte on stdout or stderr puts the idle deadline off", async () => {
    // Longer in all than the deadline, with room for a machine that is slow to run a shell.
    const script = "for n in 1 2 3 4 5 6 7 8 9 10; do printf . >&2; sleep 0.5; done";
    const result = await run(["sh", "-c", script], { ...level, idleTimeoutMs: 4500 });
    expect(result).toMatchObject({ ended: "exited", exitCode: 0 });
  });

  test("while silence is expected, only the total deadline passes", async () => {
    let expected = true;
    const silenceExpected = () => expected;
    const limits = { ...level, idleTimeoutMs: 200, silenceExpected };
    const bounded = await run(fake("hang"), { ...limits, timeoutMs: 900 });
    expect(bounded.ended).toBe("timeout");
    setTimeout(() => {
      expected = false;
    }, 500);
    expect((await run(fake("hang"), limits)).ended).toBe("idle");
  });

  test("after its result a program gets its grace and no deadline", async () => {
    const afterResult = { seen: abortedIn(300), graceMs: 900 };
    const result = await run(fake("hang"), { ...level, idleTimeoutMs: 600, afterResult });
    expect(result.ended).toBe("lingered");
    expect(result.durationMs).toBeGreaterThanOrEqual(1150);
  });

  test("a pipe that a stranger holds open does not hold the result up", async () => {
    const result = await run(fake("hold-stdout"), { ...level });
    expect(result).toMatchObject({ ended: "exited", exitCode: 0, out: "done, but for the pipe\n" });
    expect(result.durationMs).toBeLessThan(scaledLimit(5000));
  });

  test("an input of 2 MB is read whole, or not at all, without harm", async () => {
    const stdin = "p".repeat(2_000_000);
    expect(await run(fake("echo-input", "count"), { ...level, stdin })).toMatchObject({ out: "2000000\n" });
    expect(await run(fake("deaf-to-stdin", "leave"), { ...level, stdin })).toMatchObject({ exitCode: 0 });
    expect(await run(fake("deaf-to-stdin"), { ...level, stdin })).toMatchObject({ out: "did not read\n" });
    expect(await run(fake("echo-input"), { ...level })).toMatchObject({ out: "", exitCode: 0 });
  });

  test("AGENT-7: an open input takes what is written while the program runs, until it is closed", async () => {
    let input: ProcessInput | undefined;
    let seen = "";
    const result = await run(fake("echo-input"), {
      ...level,
      stdin: (opened) => {
        input = opened;
        opened.write("one\n");
      },
      onStdout: (chunk) => {
        seen += chunk.toString();
        if (seen === "one\n") input?.write("two\n");
        if (seen === "one\ntwo\n") input?.end();
      },
    });
    expect(result).toMatchObject({ out: "one\ntwo\n", exitCode: 0, ended: "exited" });
    input?.write("after the end");
  });

  test("AGENT-7: a program that cannot succeed is stopped, and nothing of it is left", async () => {
    const hopeless = abortedIn(300);
    const result = await run(fake("hang"), { ...level, hopeless });
    expect(result).toMatchObject({ ended: "hopeless", signal: "SIGINT", exitCode: null });
    expect(result.durationMs).toBeLessThan(scaledLimit(2500));
  });

  test("a start is reported once, and only if the program was started", async () => {
    let starts = 0;
    const onStart = (): void => {
      starts += 1;
    };
    await run(["/bin/echo"], { ...level, onStart });
    expect(starts).toBe(1);
    await run(["no-such-program"], { ...level, onStart });
    expect(starts).toBe(1);
  });

  test("what cannot be started says why", async () => {
    const failed = { ended: "spawn-failed", exitCode: null, signal: null };
    const missing = await run(["no-such-program"], { ...level });
    const tooLong = await run(["/bin/echo", "x".repeat(200_000)], { ...level });
    const nowhere = await run(["/bin/echo"], { ...level, cwd: join(folder, "gone") });
    expect(missing).toMatchObject({
      ...failed,
      spawnError: expect.stringMatching(/^ENOENT: no-such-program/),
    });
    expect(tooLong).toMatchObject({ ...failed, spawnError: expect.stringContaining("E2BIG") });
    expect(nowhere).toMatchObject({ ...failed, spawnError: expect.stringContaining("gone does not exist") });
  });

  test("a listener that throws stops the program and is heard", async () => {
    const token = newToken();
    const onStdout = (): void => {
      throw new Error("disk full");
    };
    const running_ = run(fake("leave-behind", "setsid", token, "stay"), {
      ...level,
      onStdout,
      graceMs: 300,
    });
    await expect(running_).rejects.toThrow("disk full");
    expect(running(token)).toBe(0);
  });
});

test("a stop that came before the start starts nothing", async () => {
  const result = await run(fake("hang"), { signal: AbortSignal.abort() });
  expect(result).toMatchObject({ ended: "cancelled", exitCode: null, spawnError: null });
});
