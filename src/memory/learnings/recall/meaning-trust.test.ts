import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { sampleTask } from "../../../../test/sample-prompt.ts";
import { fill } from "../../../../test/stored-learnings.ts";
import { openTempStore } from "../../../../test/temp-store.ts";
import { type SafeText, safe } from "../../../base/safe-text.ts";
import type { EmbeddingEndpoint } from "../../../search/embeddings.ts";
import { openMeaning } from "../../../search/meaning.ts";
import { weightOfMeaning } from "../../../search/rerank-by-meaning.ts";
import type { Db } from "../../../store/db.ts";
import { createTask } from "../../../tasks/task-store.ts";
import { learningMemory } from "../learning-memory.ts";
import { insertTrial, settleTrial } from "../store/injection-store.ts";
import { listLearnings } from "../store/read-learnings.ts";
import { meaningTrust } from "./meaning-trust.ts";

const now = new Date("2026-03-01T10:00:00.000Z");
/** By words the first fits the task on tokens a little better; by meaning, as the endpoint below has it, the second. */
const byWords = safe`Login tokens expire at midnight, so login token tests need a fixed clock.`;
const byMeaning = safe`Login token tests of a session must not renew it: the proxy does.`;
const others = [safe`The login page of the tests has a dark mode.`, safe`Logs of login tests go to syslog.`];
const task = { id: "t-90", title: "Mend the login token tests" };

async function endpoint(status = 200): Promise<EmbeddingEndpoint> {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    const { input } = JSON.parse(body) as { readonly input: readonly string[] };
    const vectorOf = (text: string): readonly number[] => (/proxy|^Mend/.test(text) ? [1, 0] : [0, 1]);
    response.statusCode = status;
    response.end(
      JSON.stringify({ data: input.map((text, index) => ({ index, embedding: vectorOf(text) })) }),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, model: "m", key: null, timeoutMs: 2000 };
}

/** A store in which one lesson helped in twenty prompts, and another, shown beside it, did not. */
async function storeWhere(helpful: SafeText, other: SafeText): Promise<Db> {
  const db = await openTempStore();
  await fill(
    db,
    [byWords, byMeaning, ...others].map((lesson) => ({ lesson })),
  );
  const learnings = await listLearnings(db);
  const ids = [helpful, other].map((text) => `${learnings.find(({ lesson }) => lesson === text)?.id}`);
  await db.transaction(async (tx) => {
    await createTask(tx, task, now);
    for (let at = 0; at < 20; at += 1) {
      const ref = { iterationId: `i-${at}`, runId: "run-1" };
      const shown = ids.map((memoryId, rank) => ({ memoryId, rank: rank + 1, score: 1, evidence: "words" }));
      await insertTrial(
        tx,
        { ...ref, taskId: task.id, attempt: 1, model: "m", heldOut: false, silenced: false },
        shown,
        now,
      );
      const verdicts = new Map([[`${ids[0]}`, "helpful" as const]]);
      await settleTrial(tx, { ...ref, outcome: "done", verification: "passed", verdicts }, now);
    }
  });
  return db;
}

test("LEARN-4: the weight of meaning is learned within bounds", () => {
  expect(weightOfMeaning({ pairs: 0, agreed: 0 })).toBeCloseTo(0.5, 6);
  expect(weightOfMeaning({ pairs: 1000, agreed: 1000 })).toBe(0.75);
  expect(weightOfMeaning({ pairs: 1000, agreed: 500 })).toBeLessThan(0.01);
  expect(weightOfMeaning({ pairs: 1000, agreed: 0 })).toBe(0);
});

test("LEARN-4: the project's record raises and lowers the weight of a model, and a failing endpoint neither", async () => {
  const right = meaningTrust(openMeaning(await endpoint()));
  expect(right.weight()).toBe(0.5);
  right.learn(await storeWhere(byMeaning, byWords));
  await vi.waitFor(() => expect(right.weight()).toBe(0.75));
  const db = await storeWhere(byWords, byMeaning);
  const wrong = meaningTrust(openMeaning(await endpoint()));
  wrong.learn(db);
  const failing = meaningTrust(openMeaning(await endpoint(500)));
  failing.learn(db);
  await vi.waitFor(() => expect(wrong.weight()).toBe(0));
  expect(failing.weight()).toBe(0.5);
});

test("LEARN-4: recall stops using a model that the record contradicts, once the next task was prefetched", async () => {
  const db = await storeWhere(byWords, byMeaning);
  const setup = { root: "/nonexistent", now: () => now, maxLearnings: 5, holdout: 0 };
  const kind = learningMemory({ ...setup, embeddings: await endpoint() });
  const request = { task: sampleTask(task), attempt: 1, runId: "run-2", iteration: 2, seed: "seed-1" };
  const first = async (by = kind): Promise<string | undefined> =>
    (await by.recall(db, request))[0]?.items[0]?.label;
  expect(await first(learningMemory(setup))).toContain("clock");
  // Nothing waits for the vectors: they are asked for meanwhile.
  expect(await first()).toContain("clock");
  await vi.waitFor(async () => expect(await first()).toContain("proxy"));
  await kind.prefetch?.(db, sampleTask({ id: "t-9", title: "Draw a chart" }));
  await vi.waitFor(async () => expect(await first()).toContain("clock"));
});
