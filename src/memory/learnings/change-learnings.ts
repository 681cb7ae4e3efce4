import { RalphError } from "../../base/errors.ts";
import { nearest } from "../../base/nearest.ts";
import type { Reader, Tx } from "../../store/db.ts";
import { citeAnew, citeFiles } from "./cite-files.ts";
import { isUsable, type Learning, type Provenance } from "./learning.ts";
import { newLearning, putLearnings } from "./learning-store.ts";
import { contentHash, kept, splitLesson, tidyTags } from "./learning-text.ts";
import { findByHash, getLearning } from "./read-learnings.ts";

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
}

interface Setting {
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

/** Keeps what someone typed; the same words again strengthen the learning that there is. */
export async function storeLearning(
  tx: Tx,
  request: StoreRequest,
  { root, now }: Setting,
): Promise<{ readonly learning: Learning; readonly isNew: boolean }> {
  const text = kept(request.text);
  const { lesson, detail: rest } = splitLesson(text);
  const detail = [rest, kept(request.detail ?? "")].filter(Boolean).join("\n");
  const by = request.provenance.source === "person" ? "person" : "agent";
  const { runId } = request.provenance;
  const old = await findByHash(tx, contentHash(lesson, detail));
  if (old && isUsable(old)) {
    const tags = tidyTags([...old.tags, ...request.tags]);
    const learning = { ...old, tags, timesSeen: old.timesSeen + 1, updatedAt: now.toISOString() };
    await putLearnings(tx, [{ learning, change: "strengthened", by }], { runId, now });
    return { learning, isNew: false };
  }
  const { category, scope, topic, provenance } = request;
  const files = tidyTags(request.files, 20);
  const made = { category: kept(category), lesson, detail, scope, topic, files, provenance };
  const citations = await citeFiles(root, [text, detail, ...files].join(" "));
  const tags = tidyTags([...request.tags, ...files]);
  const learning = await newLearning(tx, { ...made, tags, citations }, now);
  await putLearnings(tx, [{ learning, change: "stored", by }], { runId, now });
  return { learning, isNew: true };
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
  { root, now }: Setting,
): Promise<Learning> {
  const before = await requireLearning(tx, id);
  const lesson = edit.text === undefined ? before.lesson : splitLesson(kept(edit.text)).lesson;
  const rest = edit.text === undefined ? before.detail : splitLesson(kept(edit.text)).detail;
  const detail = edit.detail === undefined ? rest : kept(edit.detail);
  const learning: Learning = {
    ...before,
    lesson,
    detail,
    category: edit.category === undefined ? before.category : kept(edit.category),
    topic: edit.topic === undefined ? before.topic : edit.topic,
    tags: edit.tags === undefined ? before.tags : tidyTags(edit.tags),
    citations: edit.text === undefined ? before.citations : await citeFiles(root, `${lesson} ${detail}`),
    updatedAt: now.toISOString(),
  };
  const was = { lesson: before.lesson, detail: before.detail, category: before.category, tags: before.tags };
  const change = { learning, change: "edited", by: "person", detail: { was } } as const;
  await putLearnings(tx, [change], { runId: null, now });
  return learning;
}

/** Puts a learning away: no prompt shows it, nothing is lost. */
export async function removeLearning(tx: Tx, id: string, by: Author, now: Date): Promise<Learning> {
  const before = await requireLearning(tx, id);
  const learning: Learning = { ...before, status: "pruned", prunedAt: before.prunedAt ?? now.toISOString() };
  const change = { learning, change: "removed", by, detail: { before: before.status } } as const;
  await putLearnings(tx, [change], { runId: null, now });
  return learning;
}

/** Brings a learning back that was pruned, removed or superseded; nothing automatic puts it away again. */
export async function restoreLearning(tx: Tx, id: string, now: Date): Promise<Learning> {
  const before = await requireLearning(tx, id);
  if (before.status === "quarantined") {
    throw new RalphError("RALPH_MEMORY_STATUS", `${id} is in quarantine, not put away`, {
      hint: `ralph memory approve ${id}`,
    });
  }
  const learning: Learning = {
    ...before,
    status: "active",
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
  { root, now, by }: Setting & { readonly by: Author },
): Promise<Learning> {
  const before = await requireLearning(tx, id);
  const learning: Learning = {
    ...before,
    status: before.status === "stale" ? "active" : before.status,
    citations: await citeAnew(root, before.citations),
    validatedAt: now.toISOString(),
  };
  const change = { learning, change: "validated", by, detail: { before: before.status } } as const;
  await putLearnings(tx, [change], { runId: null, now });
  return learning;
}
