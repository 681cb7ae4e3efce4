import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { newRequestIn } from "../../../test/fakes/agent-request.ts";
import { fake, fakeEnv } from "../../../test/fakes/fake.ts";
import { scaledLimit } from "../../../test/scaled-limit.ts";
import { isObject, type JsonObject, parseJson } from "../../base/json.ts";
import { safe } from "../../base/safe-text.ts";
import { namespacePrefix } from "../../process/isolation-probe.ts";
import type { AgentActivity, AgentRequest, AgentResult, Steer } from "../port/agent.ts";
import type { IsolationLevel } from "../port/confinement.ts";
import { defaultStop, emptyReading, type OpenStream, type Reading } from "../port/session-stream.ts";
import { runSession } from "./run-session.ts";

const folder = mkdtempSync(join(tmpdir(), "ralph-session-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const levels: IsolationLevel[] = ["process-group"];
if (await namespacePrefix()) levels.push("pid-namespace");

const limited = { kind: "rate_limit", message: "the agent retries", resetAt: null, hint: null } as const;

/** A client of test/fakes/rpc-agent.mjs, the smallest that uses every part of the port. */
const rpcStream: OpenStream = (host) => {
  let reading: Reading = emptyReading;
  const pending = new Map<number, (result: JsonObject) => void>();
  let retries = 0;
  const send = (message: object): void => host.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const call = async (method: string, params: object = {}): Promise<JsonObject> => {
    const id = pending.size + 1;
    send({ id, method, params });
    return await new Promise((resolve) => pending.set(id, resolve));
  };
  return {
    start() {
      void call("start").then(async ({ model }) => {
        reading = { ...reading, model: String(model) };
        const { text, stopReason } = await call("prompt", { text: "work" });
        reading = {
          ...reading,
          finalMessage: String(text),
          stopReason: String(stopReason),
          terminal: "ok",
          contextUsed: 120,
          contextSize: 200,
          compactions: 1,
        };
        host.onFinished();
      });
    },
    line(line) {
      const message = parseJson(line);
      if (!isObject(message)) return;
      const { id, method, params, result } = message;
      if (method === "permission") {
        send({ id, result: { decision: "decline" } });
        reading = { ...reading, permissionDenials: [String((params as JsonObject)["tool"])] };
      } else if (method === "update") host.onActivity({ kind: "tool", text: "npm install" });
      else pending.get(Number(id))?.(result as JsonObject);
    },
    errorLine(line) {
      if (!line.includes("429")) return;
      retries += 1;
      if (retries === 1) host.after(300, () => host.fail(limited));
    },
    steer: async (text) => isObject(await call("steer", { text })),
    reading: () => reading,
  };
};

interface Setup {
  readonly open?: OpenStream;
  readonly argv?: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly stop?: typeof defaultStop;
}

async function run(
  { open = rpcStream, argv = fake("rpc-agent"), env = {}, files = {}, stop = defaultStop }: Setup,
  request: AgentRequest,
): Promise<AgentResult> {
  return await runSession(request, {
    agent: "fake",
    command: { argv, env: {}, files },
    inheritedEnv: { ...fakeEnv, ...env },
    reader: {
      open,
      explain: () => null,
      endsWithEvent: true,
      stop,
      hints: {},
      listsSkills: null,
      env: () => ({}),
    },
  });
}

const newRequest = (changes: Partial<AgentRequest> = {}): AgentRequest => newRequestIn(folder, changes);

/** Steers the session that gets it as `onSteerable`, once. */
function steering(text: string): {
  readonly onSteerable: (steer: Steer) => void;
  taken: Promise<boolean>;
  steer: Steer;
} {
  let settle: (taken: Promise<boolean>) => void = () => undefined;
  const state = {
    taken: new Promise<boolean>((resolve) => {
      settle = resolve;
    }),
    steer: (async () => false) as Steer,
    onSteerable(steer: Steer) {
      state.steer = steer;
      settle(steer(safe`${text.length} words`));
    },
  };
  return state;
}

describe.concurrent("a conversation", () => {
  test.each(levels)(
    "AGENT-7: requests go both ways, and the protocol announces the end, at level %s",
    async (isolation) => {
      const heard: AgentActivity[] = [];
      const message = steering("later");
      const request = newRequest({
        isolation,
        onActivity: (activity) => heard.push(activity),
        onSteerable: message.onSteerable,
      });
      const result = await run({}, request);
      expect(result).toMatchObject({
        error: null,
        finalMessage: "work; decline; 5 words",
        stopReason: "end_turn",
        model: "m1",
        permissionDenials: ["npm install"],
        exitCode: 0,
        contextUsed: 120,
        contextSize: 200,
        compactions: 1,
        survivorsKilled: 0,
      });
      expect(await message.taken).toBe(true);
      expect(heard).toEqual([{ kind: "tool", text: "npm install" }]);
      expect(result.durationMs).toBeLessThan(scaledLimit(3000));
      const log = readFileSync(request.logFile, "utf8");
      expect(log).toContain('stdin: {"jsonrpc":"2.0","id":1,"method":"start","params":{}}\n');
      // After the end nobody hears it.
      expect(await message.steer(safe`too late`)).toBe(false);
    },
  );

  test("AGENT-7: an agent that stays after its announced end is stopped by the adapter's rules", async () => {
    const stop = { signal: "SIGTERM", graceMs: 200, lingerMs: 300 } as const;
    const { onSteerable } = steering("x");
    const result = await run({ env: { RPC_AGENT: "stay" }, stop }, newRequest({ onSteerable }));
    expect(result).toMatchObject({ error: null, signal: "SIGTERM" });
    expect(result.durationMs).toBeLessThan(scaledLimit(defaultStop.lingerMs));
  });

  test("AGENT-7: a stream that reads silent retries on stderr ends the session with its own error", async () => {
    const result = await run({ env: { RPC_AGENT: "retry" } }, newRequest({ idleTimeoutMs: 20_000 }));
    expect(result.error).toEqual(limited);
    expect(result.durationMs).toBeLessThan(scaledLimit(5000));
    expect(result.stderrTail).toContain("429");
  });

  test("AGENT-7: the error of the stream counts more than the agent's own result, a person's stop more than it", async () => {
    const failing: OpenStream = (host) => ({
      line: () => host.fail(limited),
      reading: () => ({ ...emptyReading, terminal: "ok", finalMessage: "done" }),
    });
    const script = [process.execPath, "-e", 'console.log("line")'] as const;
    expect((await run({ open: failing, argv: script }, newRequest())).error).toEqual(limited);
    const stop = new AbortController();
    const waiting: OpenStream = (host) => ({
      line() {
        stop.abort();
        host.fail(limited);
      },
      reading: () => emptyReading,
    });
    const hanging = [process.execPath, "-e", 'console.log("line"); setInterval(() => {}, 1000)'] as const;
    const result = await run({ open: waiting, argv: hanging }, newRequest({ signal: stop.signal }));
    expect(result.error?.kind).toBe("cancelled");
  });

  test("no timer of a stream outlives its session", async () => {
    let ended = false;
    let late = 0;
    const open: OpenStream = (host) => {
      for (let ms = 100; ms <= 3000; ms += 100) {
        host.after(ms, () => {
          if (ended) late += 1;
        });
      }
      host.after(1, () => undefined)();
      return { reading: () => ({ ...emptyReading, terminal: "ok" }) };
    };
    await run({ open, argv: [process.execPath, "-e", "0"] }, newRequest());
    ended = true;
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(late).toBe(0);
  });

  test("TRUST-12: a line that a stream cannot read is left out, and stands in the log", async () => {
    let finalMessage = "";
    const open: OpenStream = () => ({
      line(text) {
        if (text.startsWith("bad")) throw new TypeError("Cannot convert object to primitive value");
        finalMessage += text;
      },
      ended: () => {
        throw new RangeError("Invalid time value");
      },
      reading: () => ({ ...emptyReading, terminal: "ok", finalMessage }),
    });
    const request = newRequest();
    const script = 'console.log("one\\nbad\\ntwo")';
    const result = await run({ open, argv: [process.execPath, "-e", script] }, request);
    expect(result).toMatchObject({ error: null, finalMessage: "onetwo" });
    const log = readFileSync(request.logFile, "utf8");
    expect(log).toContain("ralph: cannot read this: Cannot convert object to primitive value\n");
  });

  test.each([
    { costUsd: -1000, tokens: { input: 1, output: -1, cacheRead: 0, cacheWrite: 0 } },
    { costUsd: 1e308, tokens: { input: 1e300, output: 1, cacheRead: 0, cacheWrite: 0 } },
    {
      costUsd: Number.POSITIVE_INFINITY,
      tokens: { input: 1, output: Number.NaN, cacheRead: 0, cacheWrite: 0 },
    },
  ])("TRUST-12 LOOP-7: figures that cannot be true are unknown: $costUsd", async ({ costUsd, tokens }) => {
    const open: OpenStream = () => ({
      reading: () => ({
        ...emptyReading,
        terminal: "ok",
        costUsd,
        costSource: "measured",
        tokens,
        contextUsed: -1,
      }),
    });
    const result = await run({ open, argv: [process.execPath, "-e", "0"] }, newRequest());
    expect(result).toMatchObject({ costUsd: null, costSource: null, tokens: null, contextUsed: null });
  });

  test("an agent that does not read its input is not waited for", async () => {
    const open: OpenStream = (host) => ({
      start: () => host.write("x".repeat(4 * 1024 * 1024)),
      reading: () => ({ ...emptyReading, terminal: "ok" }),
    });
    const result = await run({ open, argv: [process.execPath, "-e", "0"] }, newRequest());
    expect(result).toMatchObject({ error: null, exitCode: 0 });
  });
});

describe("generated files", () => {
  const show = ["-e", "process.stdout.write(require('fs').readFileSync(process.env.FILE, 'utf8'))"] as const;
  const open: OpenStream = () => {
    let finalMessage = "";
    return {
      chunk: (bytes) => {
        finalMessage += bytes.toString();
      },
      reading: () => ({ ...emptyReading, terminal: "ok", finalMessage }),
    };
  };

  test("AGENT-3: they are in the iteration's folder before the agent starts, for the owner only", async () => {
    const request = newRequest();
    const path = join(request.tmpDir, "settings", "mcp.json");
    const argv = [process.execPath, ...show] as const;
    const result = await run({ open, argv, env: { FILE: path }, files: { [path]: '{"mcp":1}' } }, request);
    expect(result.finalMessage).toBe('{"mcp":1}');
  });

  test("TRUST-5: none is written outside that folder, nor through a link", async () => {
    const request = newRequest();
    const elsewhere = join(folder, "outside.json");
    const argv = [process.execPath, "-e", "0"] as const;
    await expect(run({ open, argv, files: { [elsewhere]: "x" } }, request)).rejects.toMatchObject({
      code: "RALPH_PATH_OUTSIDE",
    });
    writeFileSync(join(folder, "victim"), "kept");
    const link = join(request.tmpDir, "prompt.md");
    symlinkSync(join(folder, "victim"), link);
    await expect(run({ open, argv, files: { [link]: "x" } }, request)).rejects.toMatchObject({
      code: "RALPH_PATH_SYMLINK",
    });
    expect(readFileSync(join(folder, "victim"), "utf8")).toBe("kept");
    expect(existsSync(elsewhere)).toBe(false);
  });
});
