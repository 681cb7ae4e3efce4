import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildPrompt } from "../src/context/build-prompt.ts";
import { learningSource } from "../src/memory/learnings/store/learning-index.ts";
import { openMemory } from "../src/memory/memory.ts";
import type { SearchDocument } from "../src/search/document.ts";
import { addDocuments } from "../src/search/index-documents.ts";
import { openStore } from "../src/store/open-store.ts";
import type { Db } from "../src/store/port/db.ts";
import { safeText } from "../src/trust/safe-text.ts";
import { samplePromptRequest, sampleTask } from "../test/sample-prompt.ts";
import type { BenchQuery, DataSet } from "./retrieval/data-set.ts";

/** What prompts show, with the documents of other projects as foreign memory and without them. */
export interface OwnBesideForeign {
  readonly tasks: number;
  /** R@3 of the project's own documents among what the prompts show. */
  readonly alone: number;
  readonly beside: number;
  /** The number of tasks whose prompt shows a record of another project. */
  readonly noisy: number;
}

const lessonChars = 280;
const detailChars = 600;

interface Arm {
  recall(query: BenchQuery, documents: number): Promise<readonly string[]>;
}

/**
 * Builds the prompt of each query as a task of its project, which has learned the documents that are older than it. `path`:
 * the hivemind, with the documents of all projects.
 */
export async function ownBesideForeign(set: DataSet, path: string): Promise<OwnBesideForeign> {
  const scopes = [...new Set(set.queries.map(({ scope }) => scope))];
  let alone = 0;
  let beside = 0;
  let noisy = 0;
  for (const scope of scopes) {
    const folder = await mkdtemp(join(tmpdir(), "ralph-bench-"));
    await mkdir(join(folder, ".ralph"));
    const db = await openStore({ path: join(folder, ".ralph", "progress.db") });
    try {
      const documents = set.documents.filter((document) => document.scope === scope);
      const arms = openArms(db, { folder, scope, path });
      let stored = 0;
      for (const query of set.queries.filter((one) => one.scope === scope)) {
        const older = documents.filter(({ createdAt }) => createdAt < query.createdAt).length;
        await learn(db, documents.slice(stored, older));
        stored = Math.max(stored, older);
        alone += recallAt3(await arms.alone.recall(query, stored), query);
        const both = await arms.beside.recall(query, stored);
        beside += recallAt3(both, query);
        noisy += both.some((id) => id.startsWith(foreign)) ? 1 : 0;
      }
    } finally {
      await db.close();
      await rm(folder, { recursive: true });
    }
  }
  const tasks = set.queries.length;
  return { tasks, alone: alone / tasks, beside: beside / tasks, noisy };
}

/** Marks the ids of records of the hivemind: they are those of the documents too. */
const foreign = "foreign ";

function openArms(
  db: Db,
  { folder, scope, path }: { readonly folder: string; readonly scope: string; readonly path: string },
): { readonly alone: Arm; readonly beside: Arm } {
  const project = async () => ({ id: scope, name: safeText(scope), root: folder, privateTexts: [] });
  const arm = (hivemind: Parameters<typeof openMemory>[0]["hivemind"]): Arm => {
    const memory = openMemory({
      ...{ db, root: folder, enabled: true, hivemind: hivemind ?? null },
      log: { publish: () => undefined },
      now: () => new Date("2030-01-01T00:00:00Z"),
      learnings: { max: 5, holdout: 0 },
    });
    return {
      recall: async ({ id, query }, documents) => {
        const task = sampleTask({ id, title: query.title, description: query.description });
        const request = { task, attempt: 1, runId: "run-1", iteration: documents + 1, seed: "seed-1" };
        const { sections } = buildPrompt(
          samplePromptRequest({ task, recalled: await memory.recall(request) }),
        );
        return sections.flatMap(({ name, items }) =>
          items.flatMap((item) =>
            name === "learnings" ? [item.id] : name === "hivemind" ? [`${foreign}${item.id}`] : [],
          ),
        );
      },
    };
  };
  return { alone: arm(null), beside: arm({ path, project }) };
}

/** Stores documents as learnings of the project. */
async function learn(db: Db, documents: readonly SearchDocument[]): Promise<void> {
  if (documents.length === 0) return;
  await db.transaction(async (tx) => {
    for (const { id, title, body, createdAt } of documents) {
      await tx.run(
        `INSERT INTO learnings (id, category, content, detail, relevance_tags, created_at)
         VALUES (?, 'pitfall', ?, ?, '[]', ?)`,
        [id, title.slice(0, lessonChars), body.slice(0, detailChars), createdAt],
      );
    }
    const ids = documents.map(({ id }) => id);
    await addDocuments(tx, await learningSource.read(tx, ids));
  });
}

function recallAt3(shown: readonly string[], { id, relevant }: BenchQuery): number {
  const first = shown.filter((one) => one !== id).slice(0, 3);
  return first.filter((one) => relevant.has(one)).length / relevant.size;
}
