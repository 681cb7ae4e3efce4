import { RalphError } from "../../../base/errors.ts";
import { nearest } from "../../../base/nearest.ts";
import { type SafeText, safe } from "../../../base/safe-text.ts";
import { clip } from "../../../base/text.ts";
import type { Reader, Tx } from "../../../store/port/db.ts";
import { getTask } from "../../../tasks/graph/task-store.ts";
import { citeFiles, rehashCitations } from "../store/cite-files.ts";
import { shownIn } from "../store/injection-store.ts";
import {
  detailChars,
  isProven,
  isUsable,
  type Learning,
  type Provenance,
  perIteration,
} from "../store/learning.ts";
import { newLearning, putLearnings } from "../store/learning-store.ts";
import {
  contentHash,
  isRestated,
  isSubstantive,
  splitLesson,
  storableName,
  storableText,
  storableWhen,
  tidyNames,
  tidyTags,
} from "../store/learning-text.ts";
import { archivedBy, findByHash, getLearning, getLearnings, storedSince } from "../store/read-learnings.ts";

type Author = "person" | "agent";

export interface StoreRequest {
  readonly text: string;
  readonly detail?: string;
  /** When it applies, in the words of a future task (LEARN-13). */
  readonly when?: string | undefined;
  readonly category: string;
  readonly tags: readonly string[];
  readonly files: readonly string[];
  readonly scope: string;
  readonly topic: string | null;
  readonly provenance: Provenance;
  /** When the storing agent's iteration began. Absent outside an iteration, where no limit applies. */
  readonly since?: string | undefined;
}

interface ChangeContext {
  readonly root: string;
  readonly now: Date;
}

/** Returns the learning of an id. RALPH_MEMORY_UNKNOWN, with the nearest id as a hint, when there is none. */
export async function requireLearning(q: Reader, id: string): Promise<Learning> {
  const learning = await getLearning(q, id);
  if (learning) return learning;
  const ids = await q.all<{ id: string }>("SELECT id FROM learnings ORDER BY created_at DESC LIMIT 5000");
  const near = nearest(
    id,
    ids.map((row) => row.id),
  );
  throw new RalphError("RALPH_MEMORY_UNKNOWN", `unknown learning ${JSON.stringify(id)}`, {
    hint: near ? `did you mean ${near}?` : "run `ralph memory list` to see all learnings",
  });
}

/**
 * Stores a learning, or strengthens the existing one with the same words. For an agent, a learning that a person removed or
 * has not approved keeps its status, and three things are refused (LEARN-10): phrases without content, lessons of its own
 * prompt (RALPH_MEMORY_ECHO), and more than ten learnings per iteration (RALPH_MEMORY_FLOOD).
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
    const learning = strengthened(old, request, { by, now });
    await putLearnings(tx, [{ learning, change: "strengthened", by }], { runId, now });
    return { learning, isNew: false };
  }
  const { scope, provenance } = request;
  const [category, topic] = [categoryOf(request.category), topicOf(request.topic)];
  const task = by === "agent" && provenance.task !== null ? await getTask(tx, provenance.task) : undefined;
  const files = tidyNames([...request.files, ...(task?.files ?? [])], 20);
  const when = storableWhen(request.when ?? "");
  const given = { category, lesson, detail, when, scope, topic, files, provenance };
  const citations = await citeFiles(root, [text, detail, ...files].join(" "));
  const tags = tidyTags([...request.tags, ...(task?.tags ?? []), ...files]);
  const learning = await newLearning(tx, { ...given, tags, citations }, now);
  await putLearnings(tx, [{ learning, change: "stored", by }], { runId, now });
  return { learning, isNew: true };
}

/** Returns a learning that was stated again. A person's word proves it; an agent's adds no tags to a proven one. */
function strengthened(
  old: Learning,
  { tags, when = "" }: StoreRequest,
  { by, now }: { readonly by: Author; readonly now: Date },
): Learning {
  const at = now.toISOString();
  return {
    ...old,
    tags: by === "agent" && isProven(old) ? old.tags : tidyTags([...old.tags, ...tags]),
    when: by === "agent" && isProven(old) ? old.when : storableWhen(when) || old.when,
    timesSeen: old.timesSeen + 1,
    updatedAt: at,
    provenAt: by === "person" ? at : old.provenAt,
  };
}

/** Refuses an agent's learning that capture from its final message would skip too. */
async function refuseNoise(tx: Tx, { provenance, since }: StoreRequest, text: string): Promise<void> {
  const { iterationId, runId } = provenance;
  const shown = iterationId === null ? [] : await getLearnings(tx, await shownIn(tx, iterationId));
  if (isRestated(text, "", shown)) {
    throw new RalphError(
      "RALPH_MEMORY_ECHO",
      "the lesson was not stored: this session's prompt already contains it",
      {
        hint: "report whether it helped (memory_feedback, <memory-used>); store only new lessons",
      },
    );
  }
  if (since === undefined || runId === null) return;
  if ((await storedSince(tx, runId, since)) < perIteration) return;
  throw new RalphError("RALPH_MEMORY_FLOOD", `limit reached: ${perIteration} learnings per iteration`, {
    hint: "store only the lessons that later sessions will need",
  });
}

function vagueLesson(): RalphError {
  return new RalphError("RALPH_USAGE", "the lesson is too vague to store", {
    hint: "state the lesson in a sentence or two, of at least 20 characters",
  });
}

/** Reports whether a person removed the learning or has to look at it first. */
async function isUnavailable(q: Reader, learning: Learning): Promise<boolean> {
  const archived = await archivedBy(q, learning);
  return learning.status === "quarantined" || archived?.by === "person" || archived?.change === "withdrawn";
}

function categoryOf(text: string): SafeText {
  return storableName(text) || safe`other`;
}

function topicOf(text: string | null): SafeText | null {
  return storableName(text ?? "") || null;
}

export interface LearningEdit {
  readonly text?: string;
  readonly detail?: string;
  readonly when?: string;
  readonly category?: string;
  readonly topic?: string | null;
  readonly tags?: readonly string[];
}

/** Changes the given fields; the history keeps the previous values. */
export async function editLearning(
  tx: Tx,
  id: string,
  edit: LearningEdit,
  { root, now }: ChangeContext,
): Promise<Learning> {
  const before = await requireLearning(tx, id);
  const texts = edit.text === undefined ? before : splitLesson(storableText(edit.text));
  const { lesson } = texts;
  if (lesson === "") throw vagueLesson();
  const detail =
    edit.detail === undefined ? texts.detail || before.detail : clip(storableText(edit.detail), detailChars);
  const learning: Learning = {
    ...before,
    lesson,
    detail,
    when: edit.when === undefined ? before.when : storableWhen(edit.when),
    category: edit.category === undefined ? before.category : categoryOf(edit.category),
    topic: edit.topic === undefined ? before.topic : topicOf(edit.topic),
    tags: edit.tags === undefined ? before.tags : tidyTags(edit.tags),
    citations:
      edit.text === undefined
        ? before.citations
        : await citeFiles(root, [lesson, detail, ...before.files].join(" ")),
    updatedAt: now.toISOString(),
    // The words are a person's now.
    provenAt: lesson === before.lesson && detail === before.detail ? before.provenAt : now.toISOString(),
  };
  const previous = {
    lesson: before.lesson,
    detail: before.detail,
    when: before.when,
    category: before.category,
    topic: before.topic,
    tags: before.tags,
  };
  const change = { learning, change: "edited", by: "person", detail: { was: previous } } as const;
  await putLearnings(tx, [change], { runId: null, now });
  return learning;
}

/** Archives a learning: no prompt shows it, and it can be restored. `isNew` is false when it was archived before. */
export async function removeLearning(
  tx: Tx,
  id: string,
  by: Author,
  now: Date,
): Promise<{ readonly learning: Learning; readonly isNew: boolean }> {
  const before = await requireLearning(tx, id);
  if ((await archivedBy(tx, before))?.change === "removed") return { learning: before, isNew: false };
  const learning: Learning = { ...before, status: "pruned", prunedAt: before.prunedAt ?? now.toISOString() };
  const change = { learning, change: "removed", by, detail: { before: before.status } } as const;
  await putLearnings(tx, [change], { runId: null, now });
  return { learning, isNew: true };
}

/**
 * Restores a learning that was pruned, removed or superseded, and pins it, so that it is never pruned automatically. One
 * that was never approved returns to quarantine. RALPH_MEMORY_STATUS when it is not archived.
 */
export async function restoreLearning(tx: Tx, id: string, now: Date): Promise<Learning> {
  const before = await requireLearning(tx, id);
  if (before.status === "quarantined") {
    throw new RalphError("RALPH_MEMORY_STATUS", `${id} is in quarantine, not archived`, {
      hint: `run \`ralph memory approve ${id}\``,
    });
  }
  if (isUsable(before)) {
    throw new RalphError("RALPH_MEMORY_STATUS", `${id} is ${before.status}, not archived`, {
      hint: `run \`ralph memory why ${id}\` to see its history`,
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

/**
 * Approves a learning: a quarantined or withdrawn one may appear in prompts, an unproven one counts as proven (LEARN-12).
 * RALPH_MEMORY_STATUS when it is none of these.
 */
export async function approveLearning(tx: Tx, id: string, now: Date): Promise<Learning> {
  const before = await requireLearning(tx, id);
  const isUnproven = isUsable(before) && !isProven(before);
  const isArchived = before.status === "pruned";
  const waits = isArchived
    ? (await archivedBy(tx, before))?.change === "withdrawn"
    : before.status === "quarantined";
  if (!waits && !isUnproven) {
    throw new RalphError(
      "RALPH_MEMORY_STATUS",
      `${id} is neither in quarantine nor unproven: its status is ${before.status}`,
      {
        hint: "run `ralph memory list --status quarantined` or `ralph memory review` to see what can be approved",
      },
    );
  }
  const status = isUnproven ? before.status : (before.statusBefore ?? "active");
  const provenAt = now.toISOString();
  const learning: Learning = { ...before, status, statusBefore: null, prunedAt: null, provenAt };
  await putLearnings(tx, [{ learning, change: "approved", by: "person" }], { runId: null, now });
  return learning;
}

/** Confirms that a learning is still true: updates its citations, clears the stale status and resets its age. */
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
    provenAt: by === "person" ? now.toISOString() : before.provenAt,
  };
  const change = { learning, change: "validated", by, detail: { before: before.status } } as const;
  await putLearnings(tx, [change], { runId: null, now });
  return learning;
}
