import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { setTimeout as after } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/client";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { memorySetup } from "../../test/memory-setup.ts";
import { openTempStore } from "../../test/temp-store.ts";
import { openToolActions } from "../../test/tool-actions.ts";
import { RalphError } from "../base/errors.ts";
import { safe } from "../base/safe-text.ts";
import type { Iteration } from "../memory/learning-actions.ts";
import { openMemory } from "../memory/memory.ts";
import { claimFlags, claimTask } from "../tasks/graph/claim-store.ts";
import { createTask, getTask } from "../tasks/graph/task-store.ts";
import { callTool } from "./call-tool.ts";
import { serveMcp } from "./serve.ts";

const now = (): Date => new Date("2026-03-01T10:00:00.000Z");
const secret = `ghp_${"aB3dE5gH7j".repeat(4).slice(0, 36)}`;
const iteration = {
  ...{ taskId: "t-1", runId: "run-1", iterationId: "i-1", model: "m", startedAt: now().toISOString() },
};
let db: Awaited<ReturnType<typeof openTempStore>>;

beforeEach(async () => {
  db = await openTempStore();
});

type Open = Parameters<typeof callTool>[1];

/** Opens real actions over the test's store, as `ralph mcp` does for each call. */
function opener(here: Iteration | null = null): Open {
  return async (work) => work(await openToolActions(db, { here, now }));
}

interface Served {
  readonly client: Client;
  /** Ends the input and waits for the server's end. */
  end(): Promise<void>;
}

/** Starts a server over two streams. */
function serveRaw(open: Open = opener(), search = true) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const warnings: string[] = [];
  const warn = (message: string): void => void warnings.push(message);
  const call: Parameters<typeof serveMcp>[0]["call"] = (one) => callTool(one, open);
  const served = serveMcp({ version: "1", search, call, input, output, warn });
  return { input, output, served, warnings };
}

/** Connects the SDK's client to such a server. */
async function serve(open: Open = opener(), search = true): Promise<Served> {
  const { input, output, served, warnings } = serveRaw(open, search);
  const client = new Client({ name: "test", version: "1" });
  const end = async (): Promise<void> => {
    input.end();
    await served;
    expect(warnings).toEqual([]);
  };
  onTestFinished(end);
  await client.connect(new StdioServerTransport(output, input));
  return { client, end };
}

/** Returns the text of an answer, and whether it is an error. */
async function ask(
  client: Client,
  name: string,
  given: Readonly<Record<string, unknown>> = {},
): Promise<readonly [isError: boolean, text: string]> {
  const { content, isError } = await client.callTool({ name, arguments: { ...given } });
  const [first] = content as readonly { readonly text: string }[];
  return [isError === true, first?.text ?? ""];
}

const told = async (...request: Parameters<typeof ask>): Promise<unknown> => {
  const [isError, text] = await ask(...request);
  expect([isError, text]).toEqual([false, expect.anything()]);
  return JSON.parse(text);
};

test("AGENT-6: calls that arrive at once are run one after another, and the end of input waits for the last", async () => {
  const log: string[] = [];
  const { client, end } = await serve(async (work) => {
    log.push("open");
    const answer = await opener()(work);
    // Long enough for a server that does not wait to end first.
    if (log.length > 10) await after(100);
    log.push("close");
    return answer;
  });
  const asked = Array.from({ length: 5 }, (_, n) => told(client, "task_add", { title: `Task ${n}` }));
  const titles = (await Promise.all(asked)).map((task) => (task as { title: string }).title);
  expect(titles).toEqual([0, 1, 2, 3, 4].map((n) => `Task ${n}`));
  expect(log).toEqual(Array.from({ length: 5 }, () => ["open", "close"]).flat());
  void client.callTool({ name: "task_add", arguments: { title: "The last" } }).catch(() => undefined);
  while (log.length === 10) await new Promise((resolve) => setImmediate(resolve));
  await end();
  expect(log.at(-1)).toBe("close");
  expect(await db.get("SELECT COUNT(*) AS n FROM tasks")).toEqual({ n: 6 });
});

test("AGENT-6: an error of a person's making has its hint, any other is reported as a bug, and neither ends the server", async () => {
  const errors = [
    new RalphError("RALPH_STORE_LOCKED", `locked by \u001b[2J${secret}`, { hint: "wait for it" }),
    new TypeError(`x is not a function (${secret})`),
  ];
  const { client } = await serve(async (work) => {
    const error = errors.shift();
    if (error) throw error;
    return opener()(work);
  });
  const [usage, bug] = [await ask(client, "task_list"), await ask(client, "task_list")];
  expect(usage).toEqual([true, expect.stringMatching(/^locked by .*\nhint: wait for it$/)]);
  expect(bug).toEqual([true, expect.stringMatching(/^a bug in ralph: x is not a function/)]);
  for (const [, text] of [usage, bug])
    for (const part of ["ghp_", "\u001b"]) expect(text).not.toContain(part);
  expect(await told(client, "task_list")).toEqual({ tasks: [], total: 0 });
});

test("AGENT-6 LEARN-2 LEARN-10: what cannot be done, or would flood the memory, is an answer with a hint", async () => {
  await db.transaction((tx) => createTask(tx, { id: "t-1", title: "Parse dates" }, now()));
  const { client } = await serve(opener(iteration));
  const wrong: readonly (readonly [string, Record<string, unknown>, RegExp])[] = [
    ["memory_stor", {}, /unknown tool "memory_stor"\nhint: did you mean memory_store\?/],
    ["memory_store", { lesson: "n/a" }, /too vague to store[\s\S]*hint: state the lesson in a sentence/],
    ["memory_feedback", { id: "l-1", verdict: "helpful" }, /unknown learning "l-1"/],
    ["task_list", { parent: "t-2" }, /unknown task t-2[\s\S]*did you mean t-1/],
    ["task_add", { title: "x", parent: "t-9" }, /t-9/],
  ];
  for (const [name, given, message] of wrong)
    expect([name, ...(await ask(client, name, given))]).toEqual([name, true, expect.stringMatching(message)]);
  expect((await ask(client, "memory_store", { lesson: "word ".repeat(1000) }))[1]).toContain(
    "detail was cut",
  );
  const words = Array.from("abcdefghi", (letter) => letter.repeat(6));
  for (const word of words)
    await told(client, "memory_store", { lesson: `The module ${word} needs the flag --${word}.` });
  const limits = [await ask(client, "memory_store", { lesson: "Queues are drained before restarts." })];
  for (let n = 1; n < 50; n += 1) await told(client, "task_add", { title: "Again" });
  limits.push(await ask(client, "task_add", { title: "Again" }));
  expect(limits).toEqual([
    [true, expect.stringContaining("limit reached: 10 learnings per iteration")],
    [true, expect.stringContaining("limit reached: 50 tasks per iteration")],
  ]);
});

test("NOTE-1, NOTE-2: note_add and note_list number notes by iteration, in the iteration's own session", async () => {
  const memory = openMemory({ ...memorySetup, session: safe`dates`, db });
  const shown = { ...iteration, attempt: 1, prompt: safe``, items: [], withheld: [] };
  await db.transaction((tx) => memory.recordShown(tx, shown, now()));
  const { client } = await serve(opener(iteration));
  expect(await ask(client, "note_list")).toEqual([false, "No notes yet"]);
  const long = `The API allows 100 requests a minute, so back off`;
  expect(await ask(client, "note_add", { content: `${long} ${secret}`, type: "stuck" })).toEqual([
    false,
    expect.stringMatching(/^Note added: \[stuck\] The API .{42}\.\.\.$/),
  ]);
  await ask(client, "note_add", { content: "Use UTC", type: "tip" });
  await ask(client, "note_add", { content: "Use UTC", type: "tip" });
  const [, listed] = await ask(client, "note_list");
  expect(listed).toMatch(/^STUCK:\n {2}- \[#1\] The API .*\nTIP:\n {2}- \[#1\] Use UTC$/);
  expect(listed).not.toContain("ghp_");
  expect(await ask(client, "note_list", { type: "decision" })).toEqual([false, "No notes yet"]);
  for (let n = 0; n < 48; n += 1) await ask(client, "note_add", { content: `Tip ${n}`, type: "tip" });
  expect(await ask(client, "note_add", { content: "One more", type: "tip" })).toEqual([
    true,
    "limit reached: 50 notes per iteration",
  ]);
  const outside = await serve();
  expect(await ask(outside.client, "note_list")).toEqual([false, "No notes yet"]);
});

test("LEARN-6: a verdict counts only for a memory that the iteration's prompt showed", async () => {
  const { client } = await serve(opener(iteration));
  const lesson = "The parser needs UTC, or leap days fail.";
  const stored = (await told(client, "memory_store", { lesson, tags: "parser, dates" })) as { id: string };
  const other = (await told(client, "memory_store", { lesson: "Queues are drained before restarts." })) as {
    id: string;
  };
  const memory = openMemory({ ...memorySetup, db });
  const items = [{ section: "learnings", id: stored.id, score: 1 }];
  const shown = { ...iteration, attempt: 1, prompt: safe``, items, withheld: [] };
  await db.transaction((tx) => memory.recordShown(tx, shown, now()));
  expect(await told(client, "memory_feedback", { id: stored.id, verdict: "helpful" })).toMatchObject({
    verdict: "helpful",
  });
  const [refused, why] = await ask(client, "memory_feedback", { id: other.id, verdict: "harmful" });
  expect([refused, why]).toEqual([true, expect.stringContaining(`it showed ${stored.id}`)]);
  expect(await told(client, "memory_search", { query: "leap days", tags: ["dates"] })).toMatchObject({
    results: [{ id: stored.id, lesson, source: "tool", task: "t-1", score: expect.any(Number) }],
  });
  const outside = await serve();
  const [isError, text] = await ask(outside.client, "memory_feedback", { id: stored.id, verdict: "helpful" });
  expect([isError, text]).toEqual([true, expect.stringMatching(/^no iteration is running.*\nhint: /)]);
});

test("LEARN-6: search answers a held-out iteration with nothing, and --no-memory serves no search", async () => {
  const held = openMemory({ ...memorySetup, db });
  const withheld = [{ section: "learnings", id: "l-1" }];
  const shown = { ...iteration, attempt: 1, prompt: safe``, items: [], withheld };
  await db.transaction((tx) => held.recordShown(tx, shown, now()));
  const { client } = await serve(opener(iteration));
  await told(client, "memory_store", { lesson: "The parser needs UTC, or leap days fail." });
  expect(await told(client, "memory_search", { query: "leap days" })).toEqual({
    results: [],
    note: expect.stringContaining("withheld"),
  });
  const silent = await serve(opener(), false);
  const { tools } = await silent.client.listTools();
  expect(tools.map(({ name }) => name)).not.toContain("memory_search");
  expect((await ask(silent.client, "memory_search", { query: "x" }))[0]).toBe(true);
});

test("LOOP-4: task_done and task_failed claim the iteration's own task, refuse any other there, and change it outside", async () => {
  const owner = { pid: process.pid, startTime: "1", bootId: "b", host: "h" };
  const claim = await db.transaction(async (tx) => {
    for (const id of ["t-1", "t-2", "t-3"]) await createTask(tx, { id, title: id }, now());
    return claimTask(tx, { taskId: "t-1", owner, runId: "run-1" }, now());
  });
  const { client } = await serve(opener(iteration));
  expect(await told(client, "task_done", { id: "t-1" })).toMatchObject({ id: "t-1", noted: true });
  expect((await getTask(db, "t-1"))?.status).toBe("in_progress");
  if (!claim) throw new Error("the task was not claimed");
  expect(await claimFlags(db, claim)).toMatchObject({ done: true, failed: false });
  const refused = await ask(client, "task_done", { id: "t-2" });
  expect(refused).toEqual([true, expect.stringMatching(/your current task is t-1\nhint: /)]);
  expect((await getTask(db, "t-2"))?.status).toBe("pending");
  const outside = await serve();
  expect(await told(outside.client, "task_done", { id: "t-2" })).toMatchObject({ status: "done" });
  expect(await told(outside.client, "task_failed", { id: "t-3", reason: " " })).toMatchObject({
    status: "failed",
  });
  expect(await getTask(db, "t-3")).toMatchObject({
    statusReason: "reported as failed through ralph's tools",
  });
});

test("TRUST-12: what is no message, or nested too deep, is skipped; the next one is answered", async () => {
  const { input, output, served } = serveRaw();
  const answers: { id: unknown }[] = [];
  createInterface({ input: output }).on("line", (line) => answers.push(JSON.parse(line)));
  const deep = `${"[".repeat(1e6)}${"]".repeat(1e6)}`;
  for (const line of ["hello", "7", deep, `{"jsonrpc":"2.0","id":2,"method":"ping","params":${deep}}`])
    input.write(`${line}\n`);
  input.write('\n{"jsonrpc":"2.0","method":"ping","id":6}\n');
  input.end();
  await served;
  await after(50);
  expect(answers.at(-1)).toMatchObject({ id: 6, result: {} });
});
