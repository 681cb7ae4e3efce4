import { RalphError } from "../../../base/errors.ts";
import { nearest } from "../../../base/nearest.ts";
import { clip, oneLine } from "../../../base/text.ts";
import type { Reader, Tx } from "../../../store/db.ts";
import { getTask } from "../../../tasks/task-store.ts";
import { citeFiles, rehashCitations } from "../capture/cite-files.ts";
import { contentHash, isSubstantive, splitLesson, storableText, tidyTags } from "../capture/learning-text.ts";
import { isRestated } from "../capture/restated-lesson.ts";
import {
  categoryChars,
  detailChars,
  isUsable,
  type Learning,
  type Provenance,
  perIteration,
} from "../learning.ts";
import { shownIn } from "../store/injection-store.ts";
import { newLearning, putLearnings } from "../store/learning-store.ts";
import { findByHash, getLearning, getLearnings, historyOf, storedSince } from "../store/read-learnings.ts";

type Author = "person" | "agent";

export interface StoreRequest {
  readonly text: string;
  readonly detail?: string;
  readonly category: string;
  readonly tags: readonly string[];
  readonly files: readonly string[];
  readonly scope: string;
  readonly topic: string | null;
  readonly provenance: Provenance;
  /** When the iteration began whose agent stores it; absent: no iteration, so no limit of one. */
  readonly since?: string | undefined;
}

interface ChangeContext {
  readonly root: string;
  readonly now: Date;
}

/** The learning of this id. RALPH_MEMORY_UNKNOWN with the nearest id when there is none. */
export async function requireLearning(q: Reader, id: string): Promise<Learning> {
  const learning = await getLearning(q, id);
  if (learning) return learning;
  const ids = await q.all<{ id: string }>("SELECT id FROM learnings ORDER BY created_at DESC LIMIT 5000");
  const near = nearest(
    id,
    ids.map((row) => row.id),
  );
  throw new RalphError("RALPH_MEMORY_UNKNOWN", `there is no learning ${JSON.stringify(id)}`, {
    hint: near ? `did you mean ${near}?` : "ralph memory list shows what there is",
  });
}

/**
 * Keeps what someone typed; the same words again strengthen the learning that there is. An agent brings back nothing that a
 * person put away or has not approved, and empty phrases of its are refused (LEARN-10), as is what its prompt told it and
 * more than ten of one iteration. RALPH_MEMORY_ECHO, RALPH_MEMORY_FLOOD.
 */
export async function storeLearning(
  tx: Tx,
  request: StoreRequest,
  { root, now }: ChangeContext,
): Promise<{ readonly learning: Learning; readonly isNew: boolean }> {
  const text = storableText(request.text);
  const by = request.provenance.source === "person" ? "person" : "agent";
  if (by === "agent" ? !isSubstantive(text) : text === "") throw vagueLesson();
  const { lesson, detail: rest } = splitLesson(text);
  const detail = clip([rest, storableText(request.detail ?? "")].filter(Boolean).join("\n"), detailChars);
  const { runId } = request.provenance;
  if (by === "agent") await refuseNoise(tx, request, text);
  const old = await findByHash(tx, contentHash(lesson, detail));
  if (old && (isUsable(old) || (by === "agent" && (await isUnavailable(tx, old))))) {
    const tags = tidyTags([...old.tags, ...request.tags]);
    const learning = { ...old, tags, timesSeen: old.timesSeen + 1, updatedAt: now.toISOString() };
    await putLearnings(tx, [{ learning, change: "strengthened", by }], { runId, now });
    return { learning, isNew: false };
  }
  const { scope, provenance } = request;
  const [category, topic] = [categoryOf(request.category), topicOf(request.topic)];
  const task = by === "agent" && provenance.task !== null ? await getTask(tx, provenance.task) : undefined;
  const files = tidyTags([...request.files, ...(task?.files ?? [])], 20);
  const made = { category, lesson, detail, scope, topic, files, provenance };
  const citations = await citeFiles(root, [text, detail, ...files].join(" "));
  const tags = tidyTags([...request.tags, ...(task?.tags ?? []), ...files]);
  const learning = await newLearning(tx, { ...made, tags, citations }, now);
  await putLearnings(tx, [{ learning, change: "stored", by }], { runId, now });
  return { learning, isNew: true };
}

/** What an agent would not get in by its final message either. */
async function refuseNoise(tx: Tx, { provenance, since }: StoreRequest, text: string): Promise<void> {
  const { iterationId, runId } = provenance;
  const shown = iterationId === null ? [] : await getLearnings(tx, await shownIn(tx, iterationId));
  if (isRestated(text, "", shown)) {
    throw new RalphError("RALPH_MEMORY_ECHO", "this session's prompt says so already: nothing was kept", {
      hint: "say whether it helped (memory_feedback, <memory-used>); store what is new",
    });
  }
  if (since === undefined || runId === null) return;
  if ((await storedSince(tx, runId, since)) < perIteration) return;
  throw new RalphError(
    "RALPH_MEMORY_FLOOD",
    `${perIteration} learnings were stored in this iteration: no more fit`,
    {
      hint: "keep the few that the next session will need",
    },
  );
}

function vagueLesson(): RalphError {
  return new RalphError("RALPH_USAGE", "there is nothing to keep: the text says nothing", {
    hint: "a lesson in a sentence or two, of at least 20 characters",
  });
}

/** Whether a person put it away, or has yet to approve it. */
async function isUnavailable(q: Reader, { id, status }: Learning): Promise<boolean> {
  if (status === "quarantined") return true;
  return status === "pruned" && (await historyOf(q, id)).at(-1)?.by === "person";
}

function categoryOf(text: string): string {
  return clip(oneLine(storableText(text)), categoryChars) || "other";
}

function topicOf(text: string | null): string | null {
  return text === null ? null : clip(oneLine(storableText(text)), categoryChars) || null;
}

export interface LearningEdit {
  readonly text?: string;
  readonly detail?: string;
  readonly category?: string;
  readonly topic?: string | null;
  readonly tags?: readonly string[];
}

/** Changes what is given; `why` keeps what it was before. */
export async function editLearning(
  tx: Tx,
  id: string,
  edit: LearningEdit,
  { root, now }: ChangeContext,
): Promise<Learning> {
  const before = await requireLearning(tx, id);
  const said = edit.text === undefined ? before : splitLesson(storableText(edit.text));
  const { lesson } = said;
  if (lesson === "") throw vagueLesson();
  const detail =
    edit.detail === undefined ? said.detail || before.detail : clip(storableText(edit.detail), detailChars);
  const learning: Learning = {
    ...before,
    lesson,
    detail,
    category: edit.category === undefined ? before.category : categoryOf(edit.category),
    topic: edit.topic === undefined ? before.topic : topicOf(edit.topic),
    tags: edit.tags === undefined ? before.tags : tidyTags(edit.tags),
    citations:
      edit.text === undefined
        ? before.citations
        : await citeFiles(root, [lesson, detail, ...before.files].join(" ")),
    updatedAt: now.toISOString(),
  };
  const was = {
    lesson: before.lesson,
    detail: before.detail,
    category: before.category,
    topic: before.topic,
    tags: before.tags,
  };
  const change = { learning, change: "edited", by: "person", detail: { was } } as const;
  await putLearnings(tx, [change], { runId: null, now });
  return learning;
}

/** Puts a learning away: no prompt shows it, nothing is lost. `isNew`: false where a person did so before. */
export async function removeLearning(
  tx: Tx,
  id: string,
  by: Author,
  now: Date,
): Promise<{ readonly learning: Learning; readonly isNew: boolean }> {
  const before = await requireLearning(tx, id);
  if (before.status === "pruned" && (await historyOf(tx, id)).at(-1)?.change === "removed")
    return { learning: before, isNew: false };
  const learning: Learning = { ...before, status: "pruned", prunedAt: before.prunedAt ?? now.toISOString() };
  const change = { learning, change: "removed", by, detail: { before: before.status } } as const;
  await putLearnings(tx, [change], { runId: null, now });
  return { learning, isNew: true };
}

/**
 * Brings a learning back that was pruned, removed or superseded; nothing automatic puts it away again. What was never
 * approved goes back to quarantine.
 */
export async function restoreLearning(tx: Tx, id: string, now: Date): Promise<Learning> {
  const before = await requireLearning(tx, id);
  if (before.status === "quarantined") {
    throw new RalphError("RALPH_MEMORY_STATUS", `${id} is in quarantine, not put away`, {
      hint: `ralph memory approve ${id}`,
    });
  }
  if (isUsable(before)) {
    throw new RalphError("RALPH_MEMORY_STATUS", `${id} is ${before.status}, not put away`, {
      hint: `ralph memory why ${id} tells its life`,
    });
  }
  const learning: Learning = {
    ...before,
    status: before.statusBefore === null ? "active" : "quarantined",
    prunedAt: null,
    supersededBy: null,
    pinned: true,
  };
  const detail = { before: before.status, supersededBy: before.supersededBy };
  await putLearnings(tx, [{ learning, change: "restored", by: "person", detail }], { runId: null, now });
  return learning;
}

/** Lets a learning from elsewhere into prompts. */
export async function approveLearning(tx: Tx, id: string, now: Date): Promise<Learning> {
  const before = await requireLearning(tx, id);
  if (before.status !== "quarantined") {
    throw new RalphError("RALPH_MEMORY_STATUS", `${id} is not in quarantine: it is ${before.status}`, {
      hint: "ralph memory list --status quarantined shows what waits",
    });
  }
  const learning: Learning = { ...before, status: before.statusBefore ?? "active", statusBefore: null };
  await putLearnings(tx, [{ learning, change: "approved", by: "person" }], { runId: null, now });
  return learning;
}

/** Says that a learning holds as things are: its citations are taken anew, and it is stale no more. */
export async function validateLearning(
  tx: Tx,
  id: string,
  { root, now, by }: ChangeContext & { readonly by: Author },
): Promise<Learning> {
  const before = await requireLearning(tx, id);
  const learning: Learning = {
    ...before,
    status: before.status === "stale" ? "active" : before.status,
    citations: await rehashCitations(root, before.citations),
    validatedAt: now.toISOString(),
  };
  const change = { learning, change: "validated", by, detail: { before: before.status } } as const;
  await putLearnings(tx, [change], { runId: null, now });
  return learning;
}
