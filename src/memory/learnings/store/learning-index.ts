import { RalphError } from "../../../base/errors.ts";
import type { DocumentSource, RetrievalDocument } from "../../../search/document.ts";
import { indexDocument, indexNew, removeDocument } from "../../../search/index-document.ts";
import { recreateIndexTables } from "../../../search/index-tables.ts";
import { present } from "../../../search/partition-store.ts";
import { rebuildIndex } from "../../../search/rebuild-index.ts";
import type { Reader, Tx } from "../../../store/db.ts";
import { taskTexts } from "../../../tasks/task-store.ts";
import { countUsable } from "../../count-learnings.ts";
import { isUsable, type Learning } from "../learning.ts";
import { getLearnings, listLearnings } from "./read-learnings.ts";

const kind = "learning";

/** Where the search finds learnings: those alone that may stand in a prompt. */
export const learningSource: DocumentSource = {
  kind,
  read: async (q, ids) => documentsOf(q, (await getLearnings(q, ids)).filter(isUsable)),
  count: countUsable,
  readAll: allDocuments,
};

async function* allDocuments(q: Reader): AsyncGenerator<readonly RetrievalDocument[]> {
  const all = await listLearnings(q, { status: ["active", "stale"] });
  const inOrder = all.toReversed();
  for (let at = 0; at < inOrder.length; at += 500) {
    yield await documentsOf(q, inOrder.slice(at, at + 500));
  }
}

/**
 * Brings the search index in line with learnings that are written. Where the index lacks a table it is made anew: no
 * learning is lost with it.
 */
export async function syncIndex(tx: Tx, learnings: readonly Learning[]): Promise<void> {
  try {
    await sync(tx, learnings);
  } catch (error) {
    if (!(error instanceof RalphError) || error.code !== "RALPH_STORE_INCOMPLETE") throw error;
    await recreateIndexTables(tx);
    await rebuildIndex(tx, [learningSource]);
  }
}

async function sync(tx: Tx, learnings: readonly Learning[]): Promise<void> {
  for (const { id } of learnings.filter((learning) => !isUsable(learning)))
    await removeDocument(tx, kind, id);
  const documents = await documentsOf(tx, learnings.filter(isUsable));
  const there = await present(
    tx,
    documents.map(({ id }) => id),
  );
  for (const document of documents) if (there.has(document.id)) await indexDocument(tx, document);
  // Those that are new at once: each word's list is written once for all of them.
  await indexNew(
    tx,
    documents.filter(({ id }) => !there.has(id)),
  );
}

export async function unindex(tx: Tx, id: string): Promise<void> {
  await removeDocument(tx, kind, id);
}

/** With the words of the tasks at which they came up: a task like that one needs what was learned there. */
export async function documentsOf(
  q: Reader,
  learnings: readonly Learning[],
): Promise<readonly RetrievalDocument[]> {
  const ids = new Set(learnings.flatMap(({ provenance }) => provenance.task ?? []));
  const origins = new Map<string, string>();
  for (const { id, title, tags, description } of await taskTexts(q, [...ids])) {
    origins.set(id, `${title}\n${tags}\n${description}`);
  }
  return learnings.map((learning) => ({
    ...documentOf(learning),
    context: origins.get(learning.provenance.task ?? "") ?? "",
  }));
}

function documentOf(learning: Learning): RetrievalDocument {
  return {
    kind,
    id: learning.id,
    scope: learning.scope,
    title: learning.lesson,
    body: learning.detail,
    tags: learning.topic === null ? learning.tags : [...learning.tags, learning.topic],
    files: learning.files,
    errorSignature: learning.fixes[0] ?? null,
    taskId: learning.provenance.task,
    createdAt: learning.createdAt,
  };
}
