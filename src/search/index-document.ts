import type { Tx } from "../store/db.ts";
import { contextOf, labelsOf, type RetrievalDocument } from "./document.ts";
import { appendPostings } from "./index/posting-store.ts";
import { addWordTrigrams } from "./index/trigram-store.ts";
import { entryOf, partitionFor, putEntries, removeEntry } from "./partition-store.ts";
import { errorToken, taskToken, wordsOf } from "./text/words.ts";

/** Makes a document findable, in the transaction that writes it; one of the same kind and id is replaced. */
export async function indexDocument(tx: Tx, document: RetrievalDocument): Promise<void> {
  const entry = await entryOf(tx, document.kind, document.id);
  const indexed = indexedWords(document);
  if (entry) {
    const shelf = await partitionFor(tx, document.kind, document.scope);
    if (entry.shelf === shelf.id && entry.print === indexed.print) return;
    await removeEntry(tx, entry);
  }
  await append(tx, [{ document, indexed }]);
}

/** Makes documents findable that the index does not have. */
export async function indexNew(tx: Tx, documents: readonly RetrievalDocument[]): Promise<void> {
  await append(
    tx,
    documents.map((document) => ({ document, indexed: indexedWords(document) })),
  );
}

/** Makes it unfindable; its words are gone only when the index is built anew. */
export async function removeDocument(tx: Tx, kind: string, id: string): Promise<void> {
  const entry = await entryOf(tx, kind, id);
  if (entry) await removeEntry(tx, entry);
}

interface IndexedWords {
  /** Of title, body and labels, the tokens of its error and its task included; each once. */
  readonly all: ReadonlySet<string>;
  /** In title and body. */
  readonly length: number;
  readonly print: number;
}

interface PendingDocument {
  readonly document: RetrievalDocument;
  readonly indexed: IndexedWords;
}

async function append(tx: Tx, pending: readonly PendingDocument[]): Promise<void> {
  const shelves = new Map<string, PendingDocument[]>();
  for (const one of pending) {
    const key = JSON.stringify([one.document.kind, one.document.scope]);
    const group = shelves.get(key);
    if (group) group.push(one);
    else shelves.set(key, [one]);
  }
  for (const group of shelves.values()) await appendTo(tx, group);
}

/** Documents of one shelf. */
async function appendTo(tx: Tx, group: readonly PendingDocument[]): Promise<void> {
  const [first] = group;
  if (first) {
    const shelf = await partitionFor(tx, first.document.kind, first.document.scope);
    const lists = new Map<string, number[]>();
    for (const [at, { indexed }] of group.entries()) {
      for (const word of indexed.all) {
        const list = lists.get(word);
        if (list) list.push(shelf.given + at);
        else lists.set(word, [shelf.given + at]);
      }
    }
    const entries = group.map(({ document, indexed }) => ({
      id: document.id,
      words: indexed.length,
      print: indexed.print,
    }));
    await putEntries(tx, shelf, entries);
    await addWordTrigrams(tx, await appendPostings(tx, shelf.id, lists));
  }
}

function indexedWords(document: RetrievalDocument): IndexedWords {
  const title = wordsOf(document.title);
  const body = wordsOf(document.body);
  const beside = [labelsOf(document), contextOf(document)].flatMap(({ words, parts }) => [
    ...words,
    ...parts,
  ]);
  const tokens = [errorToken(document.errorSignature), taskToken(document.taskId)].filter(Boolean);
  const inText = [...title.words, ...body.words];
  const all = [...inText, ...title.parts, ...body.parts, ...beside, ...tokens];
  return { all: new Set(all), length: inText.length, print: fingerprintOf(all) };
}

/** FNV-1a, 32 bits. */
function fingerprintOf(words: readonly string[]): number {
  let hash = 0x811c9dc5;
  for (const word of words) {
    for (let at = 0; at < word.length; at += 1) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193);
    hash = Math.imul(hash ^ 32, 0x01000193);
  }
  return hash >>> 0;
}
