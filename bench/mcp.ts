// npm run bench:mcp [-- --json] [--learnings N] [--project DIR]: how long an agent waits for `ralph mcp`: from its start to the answer of
// `initialize`, beside an empty Node script, and for `memory_search` in a store with 100,000 learnings. Filling it takes minutes; --project measures one that is filled.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { type Practice, practice, ralphBin } from "../test/e2e/practice.ts";
import { fillLearnings } from "./fill-learnings.ts";
import { type Spread, spread } from "./overhead/spread.ts";
import { createTexts } from "./retrieval/texts.ts";

// --short: does it run at all; its figures are worth nothing.
const { values } = parseArgs({
  options: {
    short: { type: "boolean" },
    json: { type: "boolean" },
    learnings: { type: "string" },
    project: { type: "string" },
  },
});
const { short = false } = values;
const learnings = Number(values.learnings ?? (short ? 50 : 100_000));
const startRounds = short ? 1 : 31;
const warming = short ? 1 : 20;
const searches = short ? 3 : 300;

type Request = (method: string, params: object) => Promise<Readonly<Record<string, unknown>>>;

type Place = Pick<Practice, "dir" | "env">;

interface Server {
  readonly child: ChildProcess;
  readonly request: Request;
  end(): Promise<void>;
}

/** Starts a server; its answers come in the order of the requests. */
function startServer({ dir, env }: Place): Server {
  const child = spawn(process.execPath, [ralphBin, "mcp"], {
    cwd: dir,
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = new Promise<void>((done) => child.once("exit", () => done()));
  let id = 0;
  return {
    child,
    request: async (method, params) => {
      id += 1;
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error(`ralph mcp ended before it answered ${method}`);
      return JSON.parse(value) as Readonly<Record<string, unknown>>;
    },
    end: async () => {
      child.stdin.end();
      await ended;
    },
  };
}

const hello = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "bench", version: "1" },
};

async function timeStart(project: Place): Promise<number> {
  const began = performance.now();
  const server = startServer(project);
  await server.request("initialize", hello);
  const took = performance.now() - began;
  await server.end();
  return took;
}

function timeEmpty({ dir, env, home }: Practice): number {
  // The kind that Node starts the fastest.
  const empty = join(home, "empty.cjs");
  writeFileSync(empty, "");
  const began = performance.now();
  spawnSync(process.execPath, [empty], { cwd: dir, env });
  return performance.now() - began;
}

interface Searches {
  readonly wall: Spread;
  /** CPU milliseconds of the server for a search, on average; null where the system does not tell. */
  readonly cpuMs: number | null;
  /** Searches that found something. */
  readonly found: number;
}

async function timeSearches(project: Place): Promise<Searches> {
  const texts = createTexts(learnings + 1);
  const server = startServer(project);
  await server.request("initialize", hello);
  const search = async (): Promise<boolean> => {
    const params = { name: "memory_search", arguments: { query: texts.query().title } };
    const { result } = await server.request("tools/call", params);
    const { content, isError } = result as { content: readonly { text: string }[]; isError?: boolean };
    if (isError) throw new Error(content[0]?.text);
    return (JSON.parse(content[0]?.text ?? "") as { results: readonly object[] }).results.length > 0;
  };
  for (let round = 0; round < warming; round += 1) await search();
  const before = cpuOf(server.child.pid);
  const times: number[] = [];
  let found = 0;
  for (let round = 0; round < searches; round += 1) {
    const began = performance.now();
    if (await search()) found += 1;
    times.push(performance.now() - began);
  }
  const after = cpuOf(server.child.pid);
  await server.end();
  const cpuMs = before === null || after === null ? null : (after - before) / searches;
  return { wall: spread(times), cpuMs, found };
}

/** Returns the CPU milliseconds that a process has used; null where there is no /proc. */
function cpuOf(pid: number | undefined): number | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
    // A clock tick is 10 ms on every Linux that Node supports.
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return null;
  }
}

const project = practice();
try {
  await project.addTasks(["Parse dates"]);
  const rounds: { start: number; empty: number }[] = [];
  for (let round = 0; round < startRounds; round += 1)
    rounds.push({ start: await timeStart(project), empty: timeEmpty(project) });
  const filled = values.project === undefined ? project : { ...project, dir: values.project };
  if (filled === project) await fillLearnings(project.dir, learnings, createTexts(learnings));
  const search = await timeSearches(filled);
  const [start, empty] = [spread(rounds.map((one) => one.start)), spread(rounds.map((one) => one.empty))];
  const limitMs = 1.6 * empty.median + 150;
  const load = loadavg()[0] ?? Number.NaN;
  if (values.json) console.log(JSON.stringify({ learnings, start, empty, limitMs, search, load }));
  else print({ start, empty, limitMs, search, load });
} finally {
  project.remove();
}

interface Measured {
  readonly start: Spread;
  readonly empty: Spread;
  readonly limitMs: number;
  readonly search: Searches;
  readonly load: number;
}

function print({ start, empty, limitMs, search, load }: Measured): void {
  const row = (what: string, { median, p90, max }: Spread): string =>
    `| ${what} | ${median.toFixed(0)} ms | ${p90.toFixed(0)} ms | ${max.toFixed(0)} ms |`;
  const cpu = search.cpuMs === null ? "" : ` (CPU ${search.cpuMs.toFixed(0)} ms)`;
  console.log(`load ${load.toFixed(1)}

| | median | p90 | maximum |
|---|---|---|---|
${row("an empty Node script", empty)}
${row(`\`initialize\` (at most ${limitMs.toFixed(0)} ms)`, start)}
${row(`\`memory_search\`, ${learnings.toLocaleString("en")} learnings${cpu}`, search.wall)}

${search.found} of ${searches} searches found something.`);
}
