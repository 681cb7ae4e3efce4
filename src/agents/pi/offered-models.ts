import { nearest } from "../../base/nearest.ts";
import { runTool } from "../../process/run-tool.ts";
import type { ModelOffer } from "../port/model-offer.ts";

const listMs = 20_000;

/** Asks pi for the models of the providers that it is logged in to: no request is made. */
export async function piModels(
  program: string,
  env: Readonly<Record<string, string>>,
): Promise<ModelOffer | null> {
  // Not in the project, whose extensions older versions execute.
  const call = { cwd: env["HOME"] ?? "/", env: { ...env, PI_OFFLINE: "1" }, timeoutMs: listMs };
  const { stdout, stderr } = await runTool([program, "--list-models"], call);
  const lines = `${stdout}\n${stderr}`.split("\n");
  const head = lines.findIndex((line) => /^provider +model\b/.test(line));
  const rows = head === -1 ? [] : lines.slice(head + 1).map((line) => line.trim().split(/ {2,}/));
  const names = rows.flatMap(([provider, model]) => (provider && model ? [`${provider}/${model}`] : []));
  if (names.length === 0) return null;
  return {
    models: names.map((name) => ({ name, means: null, price: null, efforts: null, isDefault: false })),
    mayTake: (name) => takes(name, names),
  };
}

/** It takes a part of a name, a pattern, and a new model of a provider (`openai/gpt-9`): the last only if no listed one is meant. */
function takes(name: string, names: readonly string[]): boolean {
  const part = name.toLowerCase();
  if (/[*?]/.test(name) || names.some((one) => one.toLowerCase().includes(part))) return true;
  return name.includes("/") && nearest(name, names) === undefined;
}
