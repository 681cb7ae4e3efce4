import type { SafeText } from "../../base/safe-text.ts";
import { record } from "../../events/event-store.ts";
import type { Reader, Tx } from "../../store/port/db.ts";
import { rankLearnings, type SearchedTask } from "./rank-learnings.ts";
import { recallLearnings } from "./recall-learnings.ts";
import { renderLearning } from "./render-learning.ts";
import { freshnessOf } from "./store/cite-files.ts";
import type { Learning } from "./store/learning.ts";
import { countUse } from "./store/learning-store.ts";
import { getLearnings, listLearnings } from "./store/read-learnings.ts";
import { usefulnessOf } from "./store/usefulness.ts";

/** A search for an interactive session of a person's. */
export interface SessionRecall {
  /** The person's prompt; null: none yet, so that only proven memories fit. */
  readonly prompt: string | null;
  /** Maximum number of memories. */
  readonly max: number;
  /** Memories that the session has seen. */
  readonly exclude: ReadonlySet<string>;
  /** The project's folder: memories cite its files. */
  readonly root: string;
  readonly now: Date;
}

/** A memory as one line of a session's context. */
export interface SessionMemory {
  readonly id: string;
  readonly line: SafeText;
}

const titleChars = 200;
const promptChars = 4000;
/** The newest learnings, among which the proven ones are found. */
const newest = 300;

/** Returns the learnings that fit an interactive session, best first; none when nothing fits well. Only reads. */
export async function recallForSession(q: Reader, request: SessionRecall): Promise<readonly SessionMemory[]> {
  if (request.max <= 0) return [];
  return request.prompt === null ? provenLearnings(q, request) : fittingLearnings(q, request, request.prompt);
}

async function fittingLearnings(
  q: Reader,
  { max, exclude, root, now }: SessionRecall,
  prompt: string,
): Promise<readonly SessionMemory[]> {
  const task = taskOf(prompt);
  const setup = { root, now: () => now, maxLearnings: max, holdout: 0 };
  const ranked = await rankLearnings(q, task, setup);
  const candidates = ranked.candidates.filter(({ learning }) => !exclude.has(learning.id));
  const found = { candidates, leftOut: [] };
  const recalled = await recallLearnings(q, { iteration: 1, runId: "" }, { setup, found });
  return recalled.flatMap(({ items }) => items.map(({ id, short }) => ({ id, line: short })));
}

/** Returns learnings of a person's, and those that helped a verified success: the most useful first, then the newest. */
async function provenLearnings(
  q: Reader,
  { max, exclude, root, now }: SessionRecall,
): Promise<readonly SessionMemory[]> {
  const known = await listLearnings(q, { status: ["active", "stale"], limit: newest });
  const proven = known
    .filter((learning) => isProven(learning) && !exclude.has(learning.id))
    .toSorted((a, b) => usefulnessOf(b).standing - usefulnessOf(a).standing);
  const chosen: SessionMemory[] = [];
  for (const learning of proven) {
    if (chosen.length >= max) break;
    const fresh = await freshnessOf(root, learning.citations);
    if (fresh === "missing") continue;
    const stale = fresh === "changed" || learning.status === "stale";
    chosen.push({ id: learning.id, line: renderLearning(learning, { now, stale, fix: false }).short });
  }
  return chosen;
}

function isProven(learning: Learning): boolean {
  const balance = learning.saidHelpful - learning.saidHarmful;
  return balance > 0 || (learning.provenance.source === "person" && balance === 0);
}

/** Records that a session was given these learnings: the time of use, by which unused ones are archived. */
export async function recordSessionUse(tx: Tx, ids: readonly string[], now: Date): Promise<void> {
  const at = now.toISOString();
  const learnings = (await getLearnings(tx, ids)).map((learning) => ({ ...learning, lastUsedAt: at }));
  const data = { learnings: learnings.map(({ id }) => id) };
  await countUse(tx, learnings);
  await record(tx, { type: "learning.recalled", data }, now);
}

/** Returns a task that exists for the search alone: its title is the prompt's first line. */
function taskOf(prompt: string): SearchedTask {
  const [title = "", ...rest] = prompt.trim().split("\n");
  const description = [title.slice(titleChars), ...rest].join("\n").slice(0, promptChars);
  const none = { id: "", parentId: null, tags: [], files: [], acceptance: [] };
  return { ...none, title: title.slice(0, titleChars), description };
}
