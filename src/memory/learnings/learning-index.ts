import type { Reader, Tx } from "../../store/db.ts";
import type { DocumentSource, RetrievalDocument } from "../retrieval/document.ts";
import { indexDocument, removeDocument } from "../retrieval/index-document.ts";
import { isUsable, type Learning } from "./learning.ts";
import { getLearnings, listLearnings } from "./read-learnings.ts";

const kind = "learning";

/** Where the search finds learnings: those alone that may stand in a prompt. */
export const learningSource: DocumentSource = {
  kind,
  read: async (q, ids) => (await getLearnings(q, ids)).filter(isUsable).map(documentOf),
  readAll: allDocuments,
};

async function* allDocuments(q: Reader): AsyncGenerator<readonly RetrievalDocument[]> {
  const all = await listLearnings(q, { status: ["active", "stale"] });
  const inOrder = all.toReversed();
  for (let at = 0; at < inOrder.length; at += 500) yield inOrder.slice(at, at + 500).map(documentOf);
}

/** Brings the search index in line with a learning. */
export async function syncIndex(tx: Tx, learning: Learning): Promise<void> {
  if (isUsable(learning)) await indexDocument(tx, documentOf(learning));
  else await removeDocument(tx, kind, learning.id);
}

export async function unindex(tx: Tx, id: string): Promise<void> {
  await removeDocument(tx, kind, id);
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
