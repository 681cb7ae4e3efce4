// npm run bench:views [-- --tasks N --learnings N --pairs N --project DIR --keep DIR --json]: how soon the page of `ralph dashboard`
// shows a large project and finds a learning, what an open page costs an iteration, and how large a report is, each beside
// the same of a small project or of a run without a page. `--keep` copies the filled project to DIR, `--project` measures it.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { type Browser, chromium } from "playwright-core";
import { copyOf, type Practice, type RunEvent } from "../test/e2e/practice.ts";
import { launchOptions } from "../test/view/chromium.ts";
import { openPage } from "../test/view/open-page.ts";
import { recordedRun } from "../test/view/recorded-run.ts";
import { fillLearnings } from "./fill-learnings.ts";
import { spread } from "./overhead/spread.ts";
import { createTexts } from "./retrieval/texts.ts";
import { timed } from "./timed.ts";

const { values } = parseArgs({
  options: {
    tasks: { type: "string", default: "10000" },
    learnings: { type: "string", default: "100000" },
    project: { type: "string" },
    keep: { type: "string" },
    pairs: { type: "string", default: "5" },
    json: { type: "boolean" },
    short: { type: "boolean" },
  },
});
const { short = false } = values;
const large = { tasks: short ? 230 : Number(values.tasks), learnings: short ? 50 : Number(values.learnings) };
const small = { tasks: 40, learnings: 40 };
const visits = short ? 1 : 5;
const searches = 200;
/** Pairs of runs, without a page and with one. */
const pairs = short ? 1 : Number(values.pairs);
const iterations = short ? 2 : 15;

/** A project with a recorded run, and learnings in its store. */
async function filled({ tasks, learnings }: typeof large, kept?: string): Promise<Practice> {
  if (kept !== undefined && existsSync(kept)) return { dir: join(kept, "project") } as Practice;
  const project = await recordedRun({ tasks });
  await fillLearnings(project.dir, learnings, createTexts(learnings));
  return project;
}

interface Seen {
  /** Milliseconds from opening the link of a page that was just started: until it shows the state, and all sections. */
  readonly state: number;
  readonly all: number;
  /** Milliseconds of a search of memory, by a request of the page. */
  readonly search: { readonly p50: number; readonly p99: number };
  readonly reportBytes: number;
}

async function look(project: Practice, browser: Browser, learnings: number): Promise<Seen> {
  const paints: { readonly state: number; readonly all: number }[] = [];
  for (let visit = 0; visit < visits; visit += 1) {
    const served = await openPage(project);
    const tab = await browser.newPage();
    const began = performance.now();
    await tab.goto(served.link);
    await tab.locator("#state p").first().waitFor();
    const state = performance.now() - began;
    await tab.locator("#history table").waitFor();
    paints.push({ state, all: performance.now() - began });
    await tab.close();
    await served.end();
  }
  const file = join(project.home, "report.html");
  await project.start("report", "run-0123456789", "--html", file);
  return {
    state: spread(paints.map((one) => one.state)).median,
    all: spread(paints.map((one) => one.all)).median,
    search: await searchTimes(project, learnings),
    reportBytes: statSync(file).size,
  };
}

async function searchTimes(project: Practice, learnings: number): Promise<Seen["search"]> {
  const served = await openPage(project);
  const texts = createTexts(learnings);
  const headers = {
    origin: served.origin,
    "sec-fetch-site": "same-origin",
    "content-type": "application/json",
  };
  const body = JSON.stringify({ code: served.link.split("#")[1] });
  const answer = await fetch(`${served.origin}/session`, { method: "POST", headers, body });
  const { token } = (await answer.json()) as { readonly token: string };
  const find = async (): Promise<void> => {
    const query = encodeURIComponent(texts.query().title);
    const found = await fetch(`${served.origin}/find?q=${query}`, { headers: { "x-ralph-token": token } });
    if ((await found.text()) === "" || !found.ok) throw new Error(`the search failed: ${found.status}`);
  };
  await timed(20, find);
  const times = await timed(searches, find);
  await served.end();
  return times;
}

interface Iteration {
  /** From its start to the next one's. */
  readonly wallMs: number;
  /** Of the processor, by iteration: of the run's process, and of the page's. */
  readonly cpuMs: number;
  readonly pageMs: number;
}

async function iterate(project: Practice, cpuFile: string): Promise<Iteration> {
  rmSync(cpuFile, { force: true });
  const { stdout, stderr } = await project.start("run", "--max-iterations", `${iterations}`, "--json");
  const events = stdout.split("\n").filter(Boolean);
  const starts = events
    .map((line) => JSON.parse(line) as RunEvent)
    .filter(({ type }) => type === "iteration.started")
    .map(({ timestamp }) => Date.parse(String(timestamp)));
  if (starts.length < iterations) throw new Error(`${starts.length} iterations: ${stderr}${events.at(-1)}`);
  const walls = starts.slice(1).map((start, at) => start - (starts[at] ?? start));
  const cpuMs = Number(readFileSync(cpuFile, "utf8")) / iterations;
  return { wallMs: spread(walls).median, cpuMs, pageMs: 0 };
}

/** The same runs with and without an open page, in turns, so that other work on the machine meets both alike. */
async function iteratePairs(project: Practice, browser: Browser, cpuFile: string) {
  await project.useWorker({}, 'verify: ["true"]\n');
  const [closed, open]: [Iteration[], Iteration[]] = [[], []];
  await iterate(project, cpuFile);
  for (let pair = 0; pair < pairs; pair += 1) {
    if (pair % 2 === 1) open.push(await watched(project, browser, cpuFile));
    closed.push(await iterate(project, cpuFile));
    if (pair % 2 === 0) open.push(await watched(project, browser, cpuFile));
  }
  const compare = (what: keyof Iteration) => ({
    closed: spread(closed.map((one) => one[what])).median,
    open: spread(open.map((one) => one[what])).median,
    /** The median of the pairs' differences. */
    more: spread(open.map((one, pair) => one[what] - (closed[pair]?.[what] ?? 0))).median,
  });
  return { wallMs: compare("wallMs"), cpuMs: compare("cpuMs"), pageMs: compare("pageMs") };
}

async function watched(project: Practice, browser: Browser, cpuFile: string): Promise<Iteration> {
  const served = await openPage(project);
  const tab = await browser.newPage();
  await tab.goto(served.link);
  await tab.locator("#history table").waitFor();
  const before = processorMs(served.process.pid);
  const measured = await iterate(project, cpuFile);
  const pageMs = (processorMs(served.process.pid) - before) / iterations;
  await tab.close();
  await served.end();
  return { ...measured, pageMs };
}

/** Milliseconds that a process took of the processor, to 10 ms. */
function processorMs(pid: number | undefined): number {
  const [user = 0, system = 0] = readFileSync(`/proc/${pid}/stat`, "utf8")
    .split(" ")
    .slice(13, 15)
    .map(Number);
  return 10 * (user + system);
}

const folder = mkdtempSync(join(tmpdir(), "ralph-views-"));
const cpuFile = join(folder, "cpu");
const env = {
  NODE_OPTIONS: `--require ${join(import.meta.dirname, "overhead/report-cpu.cjs")}`,
  BENCH_CPU_FILE: cpuFile,
};
const made = [await filled(small), await filled(large, values.project)] as const;
if (values.keep) cpSync(dirname(made[1].dir), values.keep, { recursive: true });
const [few, many] = [copyOf(made[0], env), copyOf(made[1], env)];
const browser = await chromium.launch(launchOptions());
try {
  execFileSync("sync");
  const result = {
    small: await look(few, browser, small.learnings),
    large: await look(many, browser, large.learnings),
    iteration: await iteratePairs(many, browser, cpuFile),
    load: loadavg()[0] ?? 0,
  };
  if (values.json) console.log(JSON.stringify(result));
  else print(result);
} finally {
  await browser.close();
  few.remove();
  many.remove();
  made[0].remove();
  if (!values.project) made[1].remove();
  rmSync(folder, { recursive: true });
}

interface Result {
  readonly small: Seen;
  readonly large: Seen;
  readonly iteration: Awaited<ReturnType<typeof iteratePairs>>;
  readonly load: number;
}

function print({ small: few, large: many, iteration, load }: Result): void {
  const row = (name: string, a: number, b: number, digits = 1): void =>
    console.log(`| ${name} | ${a.toFixed(digits)} | ${b.toFixed(digits)} | ${(b / a).toFixed(2)} |`);
  console.log(
    `| load ${load.toFixed(1)} | ${small.tasks} tasks, ${small.learnings} learnings | ${large.tasks} tasks, ${large.learnings} learnings | ratio |\n|---|---|---|---|`,
  );
  row("link to state (ms)", few.state, many.state, 0);
  row("link to all sections (ms)", few.all, many.all, 0);
  row("search, p50 (ms)", few.search.p50, many.search.p50);
  row("search, p99 (ms)", few.search.p99, many.search.p99);
  row("report (kB)", few.reportBytes / 1000, many.reportBytes / 1000, 0);
  console.log(
    "\n| an iteration of the large project | no page | a page open | ratio | difference, median of pairs |\n|---|---|---|---|---|",
  );
  for (const [name, what] of [
    ["wall (ms)", "wallMs"],
    ["processor of the run (ms)", "cpuMs"],
    ["processor of the page (ms)", "pageMs"],
  ] as const) {
    const { closed, open, more } = iteration[what];
    const cells = [closed.toFixed(1), open.toFixed(1), (open / closed).toFixed(3), more.toFixed(1)];
    console.log(`| ${[name, ...cells].join(" | ")} |`);
  }
}
