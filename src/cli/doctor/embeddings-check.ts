import { messageOf } from "../../base/errors.ts";
import type { LoadedSettings } from "../../config/settings.ts";
import { meaningBenefitOf } from "../../memory/learning-actions.ts";
import { embeddingLength } from "../../search/embeddings.ts";
import type { Reader } from "../../store/db.ts";
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

/** Pairs of learnings from which on the model is judged, and the share that one which helps ranks right. */
const enough = { pairs: 20, share: 0.6 };

/**
 * Checks that the embedding model agrees with the project's own record: learnings that helped should be more similar to
 * their tasks than others of the same prompts. No check without an endpoint that answers, or with too few learnings.
 */
export async function checkEmbeddingBenefit(project: {
  readonly root: string;
  readonly loaded: LoadedSettings;
  readonly db: Reader;
}): Promise<readonly Check[]> {
  const endpoint = endpointOf(project);
  if (endpoint === null) return [];
  // `checkEmbeddings` reports an endpoint that fails.
  const benefit = await meaningBenefitOf(project.db, endpoint).catch(() => null);
  if (benefit === null || benefit.pairs < enough.pairs) return [];
  const { pairs, agreed } = benefit;
  const check = "embeddings benefit";
  const detail = `learnings that helped are closer to their task in ${agreed} of ${pairs} comparisons`;
  if (agreed >= enough.share * pairs) return [passed({ check, detail })];
  const hint = "try another model in memory.embeddings, or set it to null: this one does not find what helps";
  return [warned({ check, detail }, hint)];
}
