import type { DocumentSource, SearchDocument } from "../src/search/document.ts";

/** A document with what a test does not care about filled in. */
export function sampleDocument(document: Partial<SearchDocument> & { readonly id: string }): SearchDocument {
  return {
    kind: "sample",
    scope: "",
    title: "",
    body: "",
    tags: [],
    files: [],
    errorSignature: null,
    taskId: null,
    createdAt: "2026-01-01T00:00:00.000Z",
    ...document,
  };
}

/** A source that keeps its documents in memory. */
export function sourceOf(documents: readonly SearchDocument[], kind = "sample"): DocumentSource {
  const byId = new Map(documents.map((document) => [document.id, document]));
  return {
    kind,
    read: async (_, ids) => ids.flatMap((id) => byId.get(id) ?? []),
    count: async () => documents.length,
    readAll: async function* () {
      yield documents;
    },
  };
}
