import type { Tx } from "../store/port/db.ts";
import { contextTokens, labelTokens, type SearchDocument } from "./document.ts";
import {
  deleteEntry,
  findEntries,
  getOrCreatePartition,
  type IndexEntry,
  insertEntries,
} from "./partition-store.ts";
import { appendPostings } from "./posting-store.ts";
import { errorToken, taskToken, tokenize } from "./tokenize.ts";

/**
 * Adds documents to the index, in the transaction that writes their rows. A document of the same kind and id is replaced;
 * one whose words are unchanged is left as it is.
 */
export async function addDocuments(tx: Tx, documents: readonly SearchDocument[]): Promise<void> {
  const latest = new Map(documents.map((document) => [keyOf(document), document]));
  const entries = new Map((await findEntries(tx, documents)).map((entry) => [keyOf(entry), entry]));
  const pending: PendingDocument[] = [];
  for (const [key, document] of latest) {
    const indexed = indexedWords(document);
    const entry = entries.get(key);
    if (entry && isUnchanged(entry, { document, indexed })) continue;
    if (entry) await deleteEntry(tx, entry);
    pending.push({ document, indexed });
  }
  await append(tx, pending);
}

/** Removes documents from the index. Posting lists keep their doc ids until the index is rebuilt. */
export async function removeDocuments(tx: Tx, kind: string, ids: readonly string[]): Promise<void> {
  const entries = await findEntries(
    tx,
    ids.map((id) => ({ kind, id })),
  );
  for (const entry of entries) await deleteEntry(tx, entry);
}

const keyOf = ({ kind, id }: Pick<SearchDocument, "kind" | "id">): string => JSON.stringify([kind, id]);

/** The words of a document, as the index holds them. */
export interface IndexedWords {
  /** Distinct words of title, body, labels and context, with the tokens of the document's error and task. */
  readonly all: ReadonlySet<string>;
  /** Number of words in title and body. */
  readonly length: number;
  readonly fingerprint: number;
}

interface PendingDocument {
  readonly document: SearchDocument;
  readonly indexed: IndexedWords;
}

function isUnchanged(entry: IndexEntry, { document, indexed }: PendingDocument): boolean {
  return entry.scope === document.scope && entry.fingerprint === indexed.fingerprint;
}

async function append(tx: Tx, pending: readonly PendingDocument[]): Promise<void> {
  const groups = new Map<string, PendingDocument[]>();
  for (const one of pending) {
    const key = JSON.stringify([one.document.kind, one.document.scope]);
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  for (const group of groups.values()) await appendToPartition(tx, group);
}

/** Appends documents that all belong to one partition. Each word's posting list is written once for all of them. */
async function appendToPartition(tx: Tx, group: readonly PendingDocument[]): Promise<void> {
  const [first] = group;
  if (!first) return;
  const partition = await getOrCreatePartition(tx, first.document.kind, first.document.scope);
  const lists = new Map<string, number[]>();
  for (const [at, { indexed }] of group.entries()) {
    for (const word of indexed.all) {
      const list = lists.get(word);
      if (list) list.push(partition.nextDocId + at);
      else lists.set(word, [partition.nextDocId + at]);
    }
  }
  const entries = group.map(({ document, indexed }) => ({
    id: document.id,
    words: indexed.length,
    fingerprint: indexed.fingerprint,
  }));
  await insertEntries(tx, partition, entries);
  await appendPostings(tx, partition.id, lists);
}

/** Returns the words that the index holds for a document. */
export function indexedWords(document: SearchDocument): IndexedWords {
  const title = tokenize(document.title);
  const body = tokenize(document.body);
  const otherFields = [labelTokens(document), contextTokens(document)].flatMap(({ words, parts }) => [
    ...words,
    ...parts,
  ]);
  const tokens = [errorToken(document.errorSignature), taskToken(document.taskId)].filter(Boolean);
  const text = [...title.words, ...body.words];
  const all = [...text, ...title.parts, ...body.parts, ...otherFields, ...tokens];
  return { all: new Set(all), length: text.length, fingerprint: fingerprintOf(all) };
}

/** Returns the 32-bit FNV-1a hash of the words in their order. */
function fingerprintOf(words: readonly string[]): number {
  let hash = 0x811c9dc5;
  for (const word of words) {
    for (let at = 0; at < word.length; at += 1) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193);
    hash = Math.imul(hash ^ 32, 0x01000193);
  }
  return hash >>> 0;
}
