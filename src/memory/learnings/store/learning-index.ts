import type { DocumentSource, SearchDocument } from "../../../search/document.ts";
import { addDocuments, removeDocuments } from "../../../search/index-documents.ts";
import type { Reader, Tx } from "../../../store/port/db.ts";
import { taskTexts } from "../../../tasks/listed-tasks.ts";
import { countUsable } from "./count-learnings.ts";
import { isSummary, isUsable, type Learning } from "./learning.ts";
import { getLearnings, listLearnings } from "./read-learnings.ts";

const kind = "learning";

/** The source of learnings for the search index: only those that may appear in a prompt. */
export const learningSource: DocumentSource = {
  kind,
  read: async (q, ids) => documentsOf(q, (await getLearnings(q, ids)).filter(isUsable)),
  count: countUsable,
  readAll: allDocuments,
};

async function* allDocuments(q: Reader): AsyncGenerator<readonly SearchDocument[]> {
  const all = await listLearnings(q, { status: ["active", "stale"] });
  const inOrder = all.toReversed();
  for (let at = 0; at < inOrder.length; at += 500) {
    yield await documentsOf(q, inOrder.slice(at, at + 500));
  }
}

/** Updates the search index for learnings that were written. */
export async function syncIndex(tx: Tx, learnings: readonly Learning[]): Promise<void> {
  await removeFromIndex(
    tx,
    learnings.filter((learning) => !isUsable(learning)).map(({ id }) => id),
  );
  await addDocuments(tx, await documentsOf(tx, learnings.filter(isUsable)));
}

export async function removeFromIndex(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await removeDocuments(tx, kind, ids);
}

/** Returns the documents of learnings. Their context is the text of the task that they came from: similar tasks need them. */
export async function documentsOf(
  q: Reader,
  learnings: readonly Learning[],
): Promise<readonly SearchDocument[]> {
  const ids = new Set(learnings.flatMap(({ provenance }) => provenance.task ?? []));
  const origins = new Map<string, { readonly title: string; readonly text: string }>();
  for (const { id, title, tags, description } of await taskTexts(q, [...ids])) {
    origins.set(id, { title, text: `${title}\n${tags}\n${description}` });
  }
  return learnings.map((learning) => {
    const { title, text } = origins.get(learning.provenance.task ?? "") ?? { title: "", text: "" };
    const document = { ...documentOf(learning), context: text };
    // Like a record of the hivemind: it is about its task, and seldom names the subject again.
    return isSummary(learning) && title !== ""
      ? { ...document, title, body: `${learning.lesson}\n${document.body}` }
      : document;
  });
}

function documentOf(learning: Learning): SearchDocument {
  return {
    kind,
    id: learning.id,
    scope: learning.scope,
    title: learning.lesson,
    body: [learning.when, learning.detail].filter(Boolean).join("\n"),
    tags: learning.topic === null ? learning.tags : [...learning.tags, learning.topic],
    files: learning.files,
    errorSignature: learning.fixes[0] ?? null,
    taskId: learning.provenance.task,
    createdAt: learning.createdAt,
  };
}
