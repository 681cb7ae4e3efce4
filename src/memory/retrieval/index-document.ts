import type { Tx } from "../../store/db.ts";
import { labelsOf, type RetrievalDocument } from "./document.ts";
import { type IndexedWords, putWords, removeWords } from "./index-store.ts";
import { errorToken, taskToken, wordsOf } from "./words.ts";

/** Makes a document findable, in the transaction that writes it; one of the same kind and id is replaced. */
export async function indexDocument(tx: Tx, document: RetrievalDocument): Promise<void> {
  await putWords(tx, document, indexedWords(document));
}

/** Makes it unfindable; its words are gone only when the index is built anew. */
export async function removeDocument(tx: Tx, kind: string, id: string): Promise<void> {
  await removeWords(tx, kind, id);
}

function indexedWords(document: RetrievalDocument): IndexedWords {
  const title = wordsOf(document.title);
  const body = wordsOf(document.body);
  const labels = labelsOf(document);
  const tokens = [errorToken(document.errorSignature), taskToken(document.taskId)].filter(
    (word) => word !== "",
  );
  return {
    title: title.words,
    body: body.words,
    parts: [...new Set([...title.parts, ...body.parts, ...labels.words, ...labels.parts, ...tokens])],
  };
}
