import type { Practice } from "./practice.ts";

export interface Result {
  readonly memory: { readonly id: string; readonly content: string; readonly metadata: { tags: string[] } };
  readonly score: number;
  readonly matchType: string;
}

/** A script for the JSON of `swarm memory`: takes its fields only, and believes exit codes. */
export async function swarm(one: Practice, ...args: string[]): Promise<Record<string, unknown>> {
  const words = ["memory", ...args, "--json"];
  const { code, stdout } = await one.answer(...words);
  const said = JSON.parse(stdout) as Record<string, unknown>;
  if (said["success"] === true && code === 0) return said;
  if (said["success"] === false && code === 1 && typeof said["error"] === "string") return said;
  throw new Error(`exit code ${code}: ${stdout}`);
}

export async function find(one: Practice, ...args: string[]): Promise<readonly Result[]> {
  return (await swarm(one, "find", ...args))["results"] as readonly Result[];
}
