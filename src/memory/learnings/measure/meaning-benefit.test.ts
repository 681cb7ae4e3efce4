import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { fill } from "../../../../test/stored-learnings.ts";
import { openTempStore } from "../../../../test/temp-store.ts";
import { safe } from "../../../base/safe-text.ts";
import type { EmbeddingEndpoint } from "../../../search/embeddings.ts";
import { openMeaning } from "../../../search/meaning.ts";
import { createTask } from "../../../tasks/task-store.ts";
import { insertTrial, settleTrial, type Verdict } from "../store/injection-store.ts";
import { listLearnings } from "../store/read-learnings.ts";
import { measureMeaning } from "./meaning-benefit.ts";

const now = new Date("2026-03-01T10:00:00.000Z");

/** An endpoint whose vectors come from `vectorOf`, and the number of its requests. */
async function endpoint(vectorOf: (text: string) => readonly number[]) {
  const asked = { requests: 0 };
  const server = createServer(async (request, response) => {
    asked.requests += 1;
    let body = "";
    for await (const piece of request) body += piece;
    const { input } = JSON.parse(body) as { readonly input: readonly string[] };
    response.end(
      JSON.stringify({ data: input.map((text, index) => ({ index, embedding: vectorOf(text) })) }),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const by: EmbeddingEndpoint = { url: `http://127.0.0.1:${port}`, model: "m", key: null, timeoutMs: 2000 };
  return { by, asked };
}

/** A store in which a lesson about dates helped with a task about dates, and one about fonts was shown beside it. */
async function storeWith(ends: readonly { outcome: string; verification: string; verdict: Verdict }[]) {
  const db = await openTempStore();
  await fill(db, [{ lesson: safe`Dates need UTC.` }, { lesson: safe`Fonts are loaded first.` }]);
  const learnings = await listLearnings(db);
  const idOf = (word: string): string => `${learnings.find(({ lesson }) => lesson.includes(word))?.id}`;
  await db.transaction(async (tx) => {
    await createTask(tx, { id: "t-1", title: "Parse dates" }, now);
    for (const [at, { outcome, verification, verdict }] of ends.entries()) {
      const ref = { iterationId: `i-${at}`, runId: "run-1" };
      const shown = [idOf("Dates"), idOf("Fonts")].map((memoryId, rank) => ({
        memoryId,
        rank,
        score: 1,
        evidence: "words",
      }));
      await insertTrial(
        tx,
        { ...ref, taskId: "t-1", attempt: at, model: "m", heldOut: false, silenced: false },
        shown,
        now,
      );
      const verdicts = new Map([[idOf("Dates"), verdict]]);
      await settleTrial(tx, { ...ref, outcome, verification, verdicts }, now);
    }
  });
  return db;
}

const helped = { outcome: "done", verification: "passed", verdict: "helpful" } as const;

test("LEARN-4: a model of meaning is compared with the learnings that helped in verified successes", async () => {
  const db = await storeWith([
    helped,
    helped,
    { ...helped, verdict: "harmful" },
    { outcome: "failed", verification: "failed", verdict: "helpful" },
  ]);
  const good = await endpoint((text) => (/dates/i.test(text) ? [1, 0] : [0, 1]));
  expect(await measureMeaning(db, openMeaning(good.by))).toEqual({ pairs: 2, agreed: 2 });
  // The same texts are sent once.
  expect(good.asked.requests).toBe(1);
  const blind = await endpoint((text) => (text.startsWith("Dates") ? [0, 1] : [1, 0]));
  expect(await measureMeaning(db, openMeaning(blind.by))).toEqual({ pairs: 2, agreed: 0 });
});

test("LEARN-4: without learnings that helped nothing is sent", async () => {
  const db = await storeWith([{ ...helped, verdict: "harmful" }]);
  const { by, asked } = await endpoint(() => [1]);
  expect(await measureMeaning(db, openMeaning(by))).toEqual({ pairs: 0, agreed: 0 });
  expect(asked.requests).toBe(0);
});
