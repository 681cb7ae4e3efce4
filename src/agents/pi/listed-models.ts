import { nearest } from "../../base/nearest.ts";
import { runTool } from "../../process/run-tool.ts";
import { piFormat } from "../formats/pi-stream.ts";
import type { AgentProbe } from "../port/agent.ts";
import { type ModelOffer, offered } from "../port/model-offer.ts";
import { loginOf, probeProgram } from "../port/probe-program.ts";

type Environment = Readonly<Record<string, string>>;

const listMs = 20_000;

/** Asks pi for the models of the providers that it is logged in to: no request is made. `names` null: it printed no list. */
async function listModels(
  program: string,
  env: Environment,
): Promise<{ readonly names: readonly string[] | null; readonly text: string; readonly timedOut: boolean }> {
  // Not in the project, whose extensions older versions execute.
  const call = { cwd: env["HOME"] ?? "/", env: { ...env, PI_OFFLINE: "1" }, timeoutMs: listMs };
  const { stdout, stderr, timedOut } = await runTool([program, "--list-models"], call);
  const text = `${stdout}\n${stderr}`;
  const lines = text.split("\n");
  const head = lines.findIndex((line) => /^provider +model\b/.test(line));
  const rows = lines.slice(head + 1).map((line) => line.trim().split(/ {2,}/));
  const names = rows.flatMap(([provider, model]) => (provider && model ? [`${provider}/${model}`] : []));
  return { names: head === -1 ? null : names, text, timedOut };
}

export async function piModels(program: string, env: Environment): Promise<ModelOffer | null> {
  const names = (await listModels(program, env)).names ?? [];
  if (names.length === 0) return null;
  return { models: names.map((name) => offered(name)), mayTake: (name) => takes(name, names) };
}

/** It takes a part of a name, a pattern, and a new model of a provider (`openai/gpt-9`): the last only if no listed one is meant. */
function takes(name: string, names: readonly string[]): boolean {
  const part = name.toLowerCase();
  if (/[*?]/.test(name) || names.some((one) => one.toLowerCase().includes(part))) return true;
  return name.includes("/") && nearest(name, names) === undefined;
}

/** Checks that pi is installed and has a model that it may use. A program of the same name that lists no models does not count. */
export async function probePi(program: string, env: Environment): Promise<AgentProbe> {
  const hint = "Install pi: npm i -g @earendil-works/pi-coding-agent; or set agents.pi.program.";
  const probe = await probeProgram(program, env, hint);
  if (!probe.found) return probe;
  const { names, text, timedOut } = await listModels(program, env);
  const isNobody = /^No models available/m.test(text);
  if (names || isNobody || timedOut)
    return { ...probe, ...loginOf(names ? true : isNobody ? false : null, piFormat.hints.auth) };
  return { found: false, program, hint: `The program \`${program}\` on PATH is not the agent pi. ${hint}` };
}
