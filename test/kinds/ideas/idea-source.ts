import type { DocumentSource, SearchDocument } from "../../../src/search/document.ts";
import type { Reader } from "../../../src/store/port/db.ts";
import { countIdeas, type Idea, listIdeas } from "./read-ideas.ts";

/** The documents of ideas for the search index. */
export const ideaSource: DocumentSource = {
  kind: "idea",
  read: async (q, ids) => (await activeIdeas(q)).filter(({ id }) => ids.includes(id)).map(documentOf),
  count: countIdeas,
  readAll: async function* (q) {
    yield (await activeIdeas(q)).map(documentOf);
  },
};

async function activeIdeas(q: Reader): Promise<readonly Idea[]> {
  return (await listIdeas(q)).filter(({ archivedAt }) => archivedAt === null);
}

export function documentOf({ id, text, taskId, createdAt }: Idea): SearchDocument {
  return {
    ...{ kind: "idea", id, scope: "project", title: text, body: "", tags: [], files: [] },
    ...{ errorSignature: null, taskId, createdAt },
  };
}
