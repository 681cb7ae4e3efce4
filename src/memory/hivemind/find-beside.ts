import { existsSync } from "node:fs";
import { messageOf } from "../../base/errors.ts";
import { clip } from "../../base/text.ts";
import type { Reader } from "../../store/port/db.ts";
import type { HivemindSettings } from "../port/hivemind-settings.ts";
import type { FindMemories, FindRequest, FoundMemory } from "../port/kind-commands.ts";
import { backendOf } from "./backend-of.ts";
import { derivedEntries } from "./entry-store.ts";
import type { FoundRecord } from "./find-records.ts";
import { decisionsOn } from "./foreign-use-store.ts";
import { originOf, type RecordMark, recordJson, recordView } from "./record-view.ts";

/**
 * Finds records of the hivemind for a search in a project: those of other projects, and what a person of this one stored
 * there. What its attempts and learnings left there is found in the project itself.
 */
export const findBeside: FindMemories = async (q, request) => {
  const { hivemind = null, scope } = request;
  const isEmpty = hivemind === null || !(hivemind.swarm || existsSync(hivemind.path));
  if (isEmpty || scope !== null) return { found: [], problem: null };
  try {
    return { found: await recordsBeside(q, request, hivemind), problem: null };
  } catch (error) {
    return { found: [], problem: messageOf(error) };
  }
};

/** How long a search in a project waits for the hivemind, in milliseconds. */
const deadlineMs = 1500;
/** Records that are read beyond the limit, because some of them are the project's own. */
const spare = 20;
const lineChars = 280;

/** Returns the records that answer a search in a project, best first. Throws where the hivemind cannot be read in time. */
async function recordsBeside(
  q: Reader,
  { text, tags, limit, now }: FindRequest,
  hivemind: HivemindSettings,
): Promise<readonly FoundMemory[]> {
  const asked = { text, tags, limit: limit + spare, now, abstain: true };
  const hits = await backendOf(hivemind).find(asked, deadlineMs);
  if (hits.length === 0) return [];
  const own = (await hivemind.project()).id;
  const memories = hits.map(({ memory }) => memory);
  const ids = memories.map(({ id }) => id);
  const [decisions, derived] = [await decisionsOn(q, memories), await derivedEntries(q, ids)];
  return hits.flatMap((hit): readonly FoundMemory[] => {
    const { id, project } = hit.memory;
    const mark = decisions.get(id) ?? (project === own ? "own" : "unconfirmed");
    return derived.has(id) || mark === "rejected" ? [] : [toFound(hit, mark, now)];
  });
}

function toFound({ memory, score, parts }: FoundRecord, mark: RecordMark, now: Date): FoundMemory {
  const record = recordView(memory, { mark, now });
  const { id, type, content, tags, createdAt, projectName } = memory;
  return {
    id,
    score,
    parts,
    line: `${clip(content, lineChars)} (${mark === "own" ? "hivemind" : `from ${originOf(record)}`})`,
    json: recordJson(record),
    view: { id, category: type, lesson: content, tags, createdAt, origin: projectName },
    ...(mark === "unconfirmed" ? { ranksLast: true } : {}),
  };
}
