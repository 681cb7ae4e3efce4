import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentRequest, AgentResult } from "../../src/agents/port/agent.ts";
import type { AcpSettings } from "../../src/base/shared-settings.ts";
import { newRequestIn } from "./agent-request.ts";
import { fake, fakeEnv, newToken } from "./fake.ts";
import { newAcp } from "./new-agent.ts";

export type Step = Readonly<Record<string, unknown>>;

/** The script of `test/fakes/acp-agent.mjs`. */
interface Script {
  readonly initialize?: Step;
  readonly open?: Step;
  readonly steps: readonly Step[];
  readonly refuse?: Step;
}

interface Setup {
  readonly settings?: Partial<AcpSettings>;
  readonly changes?: Partial<AgentRequest>;
  readonly tools?: readonly [string, ...string[]] | null;
  readonly env?: Readonly<Record<string, string>>;
  readonly readOnly?: boolean;
}

interface Session {
  readonly result: AgentResult;
  /** The messages that the agent got, by their method. */
  readonly sent: (method: string) => readonly Record<string, unknown>[];
}

/** The step that ends a turn well. */
export const done = { end: { stopReason: "end_turn" } };

/** Runs one session of the scripted agent in `folder`. */
async function acpSession(folder: string, script: Script, setup: Setup = {}): Promise<Session> {
  const { settings = {}, changes = {}, tools = null, env = {}, readOnly = false } = setup;
  const record = join(folder, `${newToken()}.jsonl`);
  const agent = newAcp({
    argv: fake("acp-agent"),
    ...settings,
    tools,
    readOnly,
    env: { ...fakeEnv, ...env, RALPH_FAKE_SCRIPT: JSON.stringify({ record, ...script }) },
  });
  const result = await agent.run(newRequestIn(folder, { model: "default", ...changes }));
  const lines = existsSync(record) ? readFileSync(record, "utf8").trim().split("\n") : [];
  const messages = lines.map((line) => JSON.parse(line));
  const sent = (method: string) =>
    messages.filter((message) => message.method === method).map(({ params }) => params);
  return { result, sent };
}

/** The answer to `session/new` of an agent with these modes; the first is the current one. */
export const modes = (...ids: readonly string[]): Step => ({
  modes: { currentModeId: ids[0], availableModes: ids.map((id) => ({ id, name: id })) },
});

/** Runs sessions in `folder`. */
export const sessionsIn =
  (folder: string) =>
  async (script: Script, setup: Setup = {}): Promise<Session> =>
    await acpSession(folder, script, setup);
