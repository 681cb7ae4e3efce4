import { messageOf } from "../../base/errors.ts";
import type { LoadedSettings } from "../../config/settings.ts";
import { embeddingLength } from "../../search/embeddings.ts";
import { endpointOf } from "../project/embedding-endpoint.ts";
import { type Check, passed, warned } from "./check.ts";

/** Checks that the embeddings endpoint answers, if the settings name one. */
export async function checkEmbeddings(project: {
  readonly root: string;
  readonly loaded: LoadedSettings;
}): Promise<readonly Check[]> {
  const { memory } = project.loaded.settings;
  if (memory.embeddings === null) return [];
  const check = "embeddings";
  const endpoint = endpointOf(project);
  if (endpoint === null) {
    const detail = "not checked: the configuration that names it is not approved";
    return [warned({ check, detail }, "review with `ralph trust show`, then run `ralph trust approve`")];
  }
  const { host } = new URL(endpoint.url);
  let problem = "";
  try {
    const size = await embeddingLength(endpoint);
    return [passed({ check, detail: `${host} answers: ${size} dimensions` })];
  } catch (error) {
    problem = messageOf(error);
  }
  const { keyEnv, timeoutMs } = memory.embeddings;
  const unset = keyEnv !== null && endpoint.key === null;
  const hint = unset
    ? `set ${keyEnv}, which memory.embeddings.keyEnv names`
    : `check memory.embeddings, or raise its timeout (${timeoutMs} ms); until then memory is ranked by words only`;
  return [warned({ check, detail: `${host} does not answer: ${problem}` }, hint)];
}
