import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Agent } from "../../src/agents/agent.ts";
import type { Permission } from "../../src/base/agent-settings.ts";
import { safe } from "../../src/base/safe-text.ts";
import { fakeEnv, newToken, running } from "../fakes/fake.ts";
import { newKnown } from "../fakes/new-agent.ts";
import { newRequest } from "./genuine-claude.ts";

/** `codex` on PATH, or the program that RALPH_TEST_CODEX names: `npm i --prefix /tmp/codex @openai/codex`. */
const program = process.env["RALPH_TEST_CODEX"] ?? "codex";
const home = mkdtempSync(join(tmpdir(), "ralph-codex-server-"));
afterAll(() => rmSync(home, { recursive: true, force: true, maxRetries: 3 }));

type Step =
  | { readonly text: string }
  | { readonly command: string }
  | { readonly error: object; readonly status: number };

/** The Responses API on 127.0.0.1; the number of tool results in a request says which step comes next. */
async function startResponses(steps: readonly Step[]) {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    if (!request.url?.endsWith("/responses") || request.method !== "POST")
      return response.writeHead(404).end();
    bodies.push(body);
    const results = (body.match(/"function_call_output"/g) ?? []).length;
    const step = steps[Math.min(results, steps.length - 1)];
    if (!step) return response.writeHead(500).end();
    if ("error" in step) {
      return response
        .writeHead(step.status, { "content-type": "application/json" })
        .end(JSON.stringify({ error: step.error }));
    }
    const item =
      "text" in step
        ? {
            type: "message",
            id: "m1",
            role: "assistant",
            content: [{ type: "output_text", text: step.text }],
          }
        : {
            type: "function_call",
            call_id: `c${results}`,
            name: "exec_command",
            arguments: JSON.stringify({ cmd: step.command }),
          };
    const usage = {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 30 },
      output_tokens: 5,
      total_tokens: 105,
    };
    const events = [
      { type: "response.created", response: { id: "r1" } },
      { type: "response.output_item.done", item },
      { type: "response.completed", response: { id: "r1", usage } },
    ];
    response.writeHead(200, { "content-type": "text/event-stream" });
    return response.end(
      events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""),
    );
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const provider = `{name="local",base_url="http://127.0.0.1:${port}/v1",env_key="LOCAL_KEY",wire_api="responses",request_max_retries=1,stream_max_retries=1}`;
  writeFileSync(
    join(home, "config.toml"),
    `model = "gpt-5.5"\nmodel_provider = "local"\nmodel_providers.local = ${provider}\n`,
  );
  return { bodies, close: () => server.close() };
}

function codex(permission: Permission = "edit"): Agent {
  const env = {
    ...fakeEnv,
    LANG: "C.UTF-8",
    HOME: home,
    CODEX_HOME: home,
    LOCAL_KEY: "dummy",
    CODEX_API_KEY: "dummy",
  };
  return newKnown("codex", { program, permission, env });
}

const { found } = await codex().probe();
if (!found) process.stderr.write(`skipped: the tests with the genuine Codex, as ${program} is not on PATH\n`);

const done = { text: "<task-done>t-1</task-done>" };

describe.skipIf(!found)("the genuine Codex through its app server", () => {
  test("AGENT-2 AGENT-4: a refused command is reported, an allowed one runs, and tokens are those of every call", async () => {
    const server = await startResponses([{ command: "touch a.txt" }, { command: "touch b.txt" }, done]);
    const request = newRequest({ model: "default:low", verifyCommands: ["touch b.txt"] });
    const result = await codex().run(request);
    server.close();
    expect(result).toMatchObject({
      error: null,
      finalMessage: done.text,
      model: "gpt-5.5",
      tokens: { input: 210, output: 15, cacheRead: 90 },
      permissionDenials: ["command(touch a.txt)"],
      compactions: 0,
    });
    expect(server.bodies[0]).toContain('"effort":"low"');
  });

  test("AGENT-2 LOOP-8: a usage limit states its reset, a wrong key its login command", async () => {
    const resets_at = Math.floor(Date.now() / 1000) + 3600;
    const error = { type: "usage_limit_reached", message: "limit", plan_type: "plus", resets_at };
    const server = await startResponses([{ status: 429, error }]);
    const limited = await codex().run(newRequest({ model: "default" }));
    server.close();
    expect(limited.error?.kind).toBe("rate_limit");
    expect(Math.abs(Date.parse(limited.error?.resetAt ?? "") - resets_at * 1000)).toBeLessThan(120_000);
    const refusing = await startResponses([
      { status: 401, error: { message: "Incorrect API key provided" } },
    ]);
    const refused = await codex().run(newRequest({ model: "default" }));
    refusing.close();
    expect(refused.error).toMatchObject({ kind: "auth", hint: expect.stringContaining("codex login") });
  });

  test("AGENT-7 LOOP-10: a message reaches the turn while a command runs; a stop leaves no process", async () => {
    const server = await startResponses([{ command: "sleep 3" }, done]);
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
    server.close();
    expect([error, await Promise.all(taken)]).toEqual([null, [true]]);
    expect(server.bodies.filter((body) => body.includes("Look at the glass skill."))).toHaveLength(1);

    const token = newToken();
    const busy = await startResponses([{ command: `sleep 60.${token}` }, done]);
    const stop = new AbortController();
    const onActivity = (): void => void setTimeout(() => stop.abort(), 1000);
    const stopped = await codex("shell").run(
      newRequest({ model: "default", signal: stop.signal, onActivity }),
    );
    busy.close();
    expect([stopped.error?.kind, running(token)]).toEqual(["cancelled", 0]);
  });
});
