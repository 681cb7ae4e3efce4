import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { insertTrial, settleTrial } from "../../src/memory/learnings/store/injection-store.ts";
import { listLearnings } from "../../src/memory/learnings/store/read-learnings.ts";
import { openStore } from "../../src/store/open-store.ts";
import { type Practice, practice } from "./practice.ts";

let project: Practice | undefined;
let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  project?.remove();
});

/** By words the first fits a task on tokens a little better; by meaning, as the endpoint below has it, the second. */
const byWords = "Login tokens expire at midnight, so login token tests need a fixed clock.";
const byMeaning = "Login token tests of a session must not renew it: the proxy does.";
const others = ["The login page has a dark mode.", "Logs of a login go to syslog."];

interface Asked {
  readonly key: string | undefined;
  readonly model: string;
  readonly input: readonly string[];
}

/** The task means what tells of a proxy, and least of all what tells of a clock. */
function vectorOf(text: string): readonly number[] {
  if (/proxy|^Mend the login token tests/i.test(text)) return [1, 0];
  return text.includes("clock") ? [0, 1] : [0.1, 1];
}

async function endpoint(): Promise<{ readonly url: string; readonly asked: Asked[] }> {
  const asked: Asked[] = [];
  server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    const { model, input } = JSON.parse(body) as Omit<Asked, "key">;
    asked.push({ key: request.headers.authorization, model, input });
    const data = input.map((text, index) => ({ index, embedding: vectorOf(text) }));
    response.end(JSON.stringify({ data }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/embeddings`, asked };
}

async function withLearnings(config: string, agentSeconds = 0): Promise<Practice> {
  project = practice(undefined, { EMBEDDING_KEY: "the-key-of-the-endpoint" });
  const writes = (path: string) => [{ write: { [path]: "a" } }];
  const first = { write: { "a.txt": "a" }, run: [["sleep", String(agentSeconds)]] };
  const worker = { "t-1": [first], "t-2": writes("b.txt"), "*": writes("c.txt") };
  await project.useWorker(worker, `verify: ["true"]\n${config}`);
  await project.addTasks(["Mend the login token tests", "Mend the login token tests again"]);
  for (const text of [byWords, byMeaning, ...others]) await project.answer("memory", "store", text);
  return project;
}

async function learningsIn(made: Practice): Promise<readonly string[]> {
  const { stdout } = await made.answer("context", "t-2");
  return [...stdout.matchAll(/^- \*\*\[other\]\*\* (.+?\.) \(/gm)].map(([, text = ""]) => text);
}

test("LEARN-4: an endpoint for embeddings moves what fits by meaning ahead, and its loss changes nothing else", async () => {
  const { url, asked } = await endpoint();
  const made = await withLearnings(
    `memory: { embeddings: { url: "${url}", model: small, keyEnv: EMBEDDING_KEY, timeout: 20s } }\n`,
    2,
  );
  // A preview asks nothing, and the vectors are not there yet.
  expect((await learningsIn(made))[0]).toBe(byWords);
  expect(asked).toEqual([]);
  await made.ralph("run", "--max-iterations", "1");
  // What the second task needs came while the agent of the first one worked.
  const fused = await learningsIn(made);
  expect(fused[0]).toBe(byMeaning);
  expect(asked[0]).toMatchObject({ key: "Bearer the-key-of-the-endpoint", model: "small" });
  const requests = asked.length;
  const explained = (await made.answer("context", "t-2", "--explain")).stdout;
  expect(explained).toMatch(/rank 1 by\s+meaning/);
  const found = (await made.json("memory", "find", "mend the login token tests")) as {
    readonly results: readonly {
      readonly matchType: string;
      readonly memory: { readonly content: string };
    }[];
  };
  expect(found.results[0]).toMatchObject({ matchType: "hybrid", memory: { content: byMeaning } });
  // Only the words of the search are new.
  expect(asked.slice(requests).map(({ input }) => input)).toEqual([["mend the login token tests"]]);
  expect((await made.answer("doctor")).stdout).toMatch(
    /✓ embeddings +127\.0\.0\.1:\d+ answers: 2 dimensions/,
  );

  server?.closeAllConnections();
  server?.close();
  expect(await learningsIn(made)).toEqual(fused);
  expect((await made.answer("doctor")).stdout).toMatch(
    /! embeddings +127\.0\.0\.1:\d+ does not answer: ECONN/,
  );
  await made.answer("task", "add", "Mend the login token tests of the server");
  const { code, stdout } = await made.ralph("run");
  expect(code).toBe(0);
  expect(stdout.match(/not ranked by meaning: 127\.0\.0\.1:\d+: ECONN/g)).toHaveLength(1);
});

test("LEARN-4: without an endpoint in the configuration nothing is asked; a wrong one is told by its key", async () => {
  const { url, asked } = await endpoint();
  const made = await withLearnings("");
  expect((await learningsIn(made))[0]).toBe(byWords);
  expect(asked).toEqual([]);
  const config = made.read(".ralph/config.yaml");
  made.write(".ralph/config.yaml", `${config}memory: { embeddings: { url: "${url}" } }\n`);
  const { code, stderr } = await made.answer("context", "t-1");
  expect(code).toBe(2);
  expect(stderr).toContain("memory.embeddings.model");
});

/** Records twenty verified successes in whose prompts one lesson helped and another did not. */
async function recordHelp(
  made: Practice,
  [helpful, other]: readonly [string, string],
  day: number,
): Promise<void> {
  const db = await openStore({ path: join(made.dir, ".ralph/progress.db") });
  const learnings = await listLearnings(db);
  const [helped, shown] = [helpful, other].map(
    (text) => `${learnings.find(({ lesson }) => lesson === text)?.id}`,
  );
  const now = new Date(Date.UTC(2026, 0, day));
  await db.transaction(async (tx) => {
    for (let at = 0; at < 20; at += 1) {
      const ref = { iterationId: `i-${day}-${at}`, runId: "run-1" };
      const trial = { ...ref, taskId: "t-1", attempt: 1, model: "m", heldOut: false, silenced: false };
      const injections = [helped, shown].map((id, rank) => ({
        memoryId: `${id}`,
        rank: rank + 1,
        score: 1,
        evidence: "words",
      }));
      await insertTrial(tx, trial, injections, now);
      const verdicts = new Map([[`${helped}`, "helpful" as const]]);
      await settleTrial(tx, { ...ref, outcome: "done", verification: "passed", verdicts }, now);
    }
  });
  await db.close();
}

test("LEARN-4: doctor reports an embedding model that does not find what helped", async () => {
  const { url } = await endpoint();
  const made = await withLearnings(`memory: { embeddings: { url: "${url}", model: small, timeout: 20s } }\n`);
  expect((await made.answer("doctor")).stdout).not.toContain("embeddings benefit");
  await recordHelp(made, [byMeaning, byWords], 1);
  const benefit = (checks: readonly { readonly check: string }[]): unknown =>
    checks.find(({ check }) => check === "embeddings benefit");
  const doctor = async () => (await made.json("doctor")) as readonly { readonly check: string }[];
  expect(benefit(await doctor())).toMatchObject({
    status: "ok",
    detail: "learnings that helped are closer to their task in 20 of 20 comparisons",
  });
  await recordHelp(made, [byWords, byMeaning], 2);
  expect(benefit(await doctor())).toMatchObject({
    status: "warn",
    hint: expect.stringContaining("try another model in memory.embeddings"),
  });
});
