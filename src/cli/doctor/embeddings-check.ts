import type { LoadedSettings } from "../../config/settings.ts";
import { probeEmbeddings } from "../../memory/probe-embeddings.ts";
import { configIsApproved } from "../project/approval.ts";
import { endpointOf } from "../project/embedding-endpoint.ts";
import { type Check, passed, warned } from "./check.ts";

/** Whether the endpoint for embeddings answers, where the settings name one. */
export async function checkEmbeddings(project: {
  readonly root: string;
  readonly loaded: LoadedSettings;
}): Promise<readonly Check[]> {
  const { memory } = project.loaded.settings;
  const endpoint = endpointOf(project.loaded.settings);
  if (memory.embeddings === null || endpoint === null) return [];
  const check = "embeddings";
  if (!configIsApproved(project)) {
    const detail = "not asked: the configuration names it and is not approved";
    return [warned({ check, detail }, "look at it with: ralph trust show, then: ralph trust approve")];
  }
  const { host } = new URL(endpoint.url);
  const answer = await probeEmbeddings(endpoint);
  if ("size" in answer) return [passed({ check, detail: `${host} answers: ${answer.size} numbers a text` })];
  const { keyEnv, timeoutMs } = memory.embeddings;
  const unset = keyEnv !== null && endpoint.key === null;
  const hint = unset
    ? `set ${keyEnv}: memory.embeddings.keyEnv names it, and it is not set`
    : `memory is ranked by words alone; look at memory.embeddings, or give it longer than ${timeoutMs} ms (timeout)`;
  return [warned({ check, detail: `${host} does not answer: ${answer.problem}` }, hint)];
}
