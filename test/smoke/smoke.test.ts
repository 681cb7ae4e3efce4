import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Practice, ralphBin } from "../e2e/practice.ts";
import { helpLines, type Line, type Listed, listCommands, type Samples, useLines } from "./command-lines.ts";
import { importsNotReached } from "./imports-reached.ts";
import { learn, mcpTalk, oldProject, pricedProject, smokeProject } from "./smoke-project.ts";

// A command that works from source can fail in the bundle, so the built program runs these command lines. They are made from the
// table of commands: a new command is tested without a change here.

const built = resolve(import.meta.dirname, "../../dist");

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}
interface Result extends Ended {
  readonly words: Line;
}

let base: string;
let project: Practice;
/** A project whose agent states tokens and no cost. */
let other: Practice;
let listed: readonly Listed[];
let help: readonly Result[];
let uses: readonly Result[];
let alone: Readonly<Record<string, Ended>>;
let noServer: Ended;

/** They wait for a client or make a project of their own, so that each has a process to itself. */
const ownProcess = ["mcp", "demo", "dashboard"];
/** Exit codes of the commands that need a run at work, or a task that no run has worked on. */
const refused: Readonly<Record<string, number>> = {
  stop: 5,
  pause: 5,
  resume: 5,
  // Their agent states no models, and answers with no list.
  models: 5,
  plan: 2,
  "memory when": 2,
  "task remove": 2,
  // No server is set.
  "store copy": 2,
  watch: 2,
};

const skill = "ios26-learned";

/** The arguments of commands that would refuse the made-up ones. */
function samples(learning: string): Samples {
  const verbs = ["get", "why", "validate", "remove", "restore"];
  return {
    ...Object.fromEntries(verbs.map((verb) => [`memory ${verb}`, [learning]])),
    message: ["use the parser that is there"],
    "task import": ["tasks.yaml"],
    "task edit": ["t-1", "--title", "another title"],
    "task depend": ["t-2", "t-3"],
    "task done": ["t-1", "prices"],
    "task export": ["exported.yaml"],
    "memory edit": [learning, "--topic", "prices"],
    "memory approve": ["--all"],
    "memory purge": [learning, "--yes"],
    "memory export": ["memory.jsonl"],
    "memory import": ["memory.jsonl"],
    "learnings import": [".ralph/learnings"],
    "memory share": [learning],
    "memory unshare": [learning],
    connect: ["claude", "--yes"],
    disconnect: ["claude", "--yes"],
    "skills accept": [skill],
    "skills reject": ["--all"],
    ...Object.fromEntries(["show", "retire", "restore"].map((verb) => [`skills ${verb}`, [skill]])),
  };
}

beforeAll(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "ralph-smoke-")));
  [project, other, listed] = await Promise.all([smokeProject(), pricedProject(), listCommands()]);
  await project.addTasks(["work on t-1", "work on t-2", "work on t-3"]);
  const learning = await learn(project);
  const driven = listed.filter(({ path }) => !ownProcess.includes(path));
  const lines = [
    // Its proposal is accepted below.
    ["skills", "generate"],
    ...useLines(driven, samples(learning)),
    ...[
      ["task", "export"],
      ["memory", "export"],
    ],
    ...[
      ["memory", "stats", "--collection", "hivemind"],
      ["memory", "get", "t-1#1"],
    ],
  ];
  const asked = helpLines(listed);
  const inOld = [
    ["task", "list"],
    ["__complete", "task", ""],
  ];
  let first: readonly Result[];
  let demo: Ended;
  [first, uses, demo] = await Promise.all([
    drive("help", await oldProject(base), [...asked, ...inOld]),
    drive("uses", project.dir, lines),
    run([ralphBin, "demo"], base, { env: { ...project.env, npm_lifecycle_event: "demo" } }),
  ]);
  help = first.slice(0, asked.length);
  const older = first.slice(asked.length);
  const mcp = await run([ralphBin, "mcp"], project.dir, { input: mcpTalk, last: '"id":3' });
  const connected = await run([ralphBin, "mcp", "--connected"], project.dir);
  const status = await run([ralphBin, "status"], project.dir);
  const priced = await run([ralphBin, "run", "--once"], other.dir, { env: other.env });
  noServer = await run([ralphBin, "status"], project.dir, {
    env: { ...project.env, RALPH_STORE_URL: "postgres://ralph@127.0.0.1:1/ralph?schema=smoke" },
  });
  alone = {
    demo,
    mcp,
    connected,
    status,
    priced,
    ...Object.fromEntries(older.map((ran) => [ran.words.join(" "), ran])),
  };
}, 120_000);
afterAll(() => {
  project?.remove();
  other?.remove();
  if (base) rmSync(base, { recursive: true, force: true });
});

/** Runs many command lines in one process. */
async function drive(name: string, cwd: string, lines: readonly Line[]): Promise<readonly Result[]> {
  const [from, to] = [join(base, `${name}-lines.json`), join(base, `${name}-results.json`)];
  writeFileSync(from, JSON.stringify(lines));
  const argv = [join(import.meta.dirname, "drive.mjs"), join(built, "main.cjs"), from, to];
  const { code, stderr } = await run(argv, cwd);
  if (code !== 0) throw new Error(`${name}: ${stderr}`);
  return JSON.parse(readFileSync(to, "utf8"));
}

/** Runs Node; with `input`, its standard input stays open until the answer `last` came. */
function run(
  argv: Line,
  cwd: string,
  {
    input,
    last = "",
    env: own = project.env,
  }: { readonly input?: string; readonly last?: string; readonly env?: Practice["env"] } = {},
): Promise<Ended> {
  const env = { ...own, NODE_V8_COVERAGE: join(base, "coverage") };
  return new Promise((done) => {
    const child = execFile(process.execPath, argv, { cwd, env, maxBuffer: 1e8 }, (_, stdout, stderr) =>
      done({ code: child.exitCode, stdout, stderr }),
    );
    if (input === undefined) return void child.stdin?.end();
    child.stdin?.write(input);
    child.stdout?.on("data", (chunk: string) => chunk.includes(last) && child.stdin?.end());
  });
}

const shown = ({ words, code, stderr }: Result): string => `ralph ${words.join(" ")} → ${code}: ${stderr}`;

test("UX-4: the built product answers every request for help", () => {
  expect(help.filter(({ code }) => code !== 0).map(shown)).toEqual([]);
  for (const { path } of listed) {
    const asked = [`help ${path}`, `${path} --help`];
    const pages = help.filter(({ words }) => asked.includes(words.join(" ")));
    expect(pages.length).toBeGreaterThan(1);
    for (const { stdout } of pages) expect(stdout).toContain(`Usage: ralph ${path}`);
  }
});

test("UX-4: every command of the built product works, and none of its switches meets a bug", () => {
  const seen = new Set<string>();
  const unexpected = uses.filter(({ words, code }) => {
    const path = listed.find((one) => `${words.join(" ")} `.startsWith(`${one.path} `))?.path ?? "";
    const isFirst = !seen.has(path);
    seen.add(path);
    return isFirst ? code !== (refused[path] ?? 0) : code === 70;
  });
  expect(unexpected.map(shown)).toEqual([]);
  expect([...seen, ...ownProcess].toSorted()).toEqual(listed.map(({ path }) => path).toSorted());
  expect(Object.entries(alone).filter(([, { code }]) => code !== 0)).toEqual([]);
  expect(alone["mcp"]?.stdout).toContain("t-2");
});

test("UX-4: a store on a server that does not answer is named with its address", () => {
  expect([noServer.code, noServer.stdout]).toEqual([5, ""]);
  expect(noServer.stderr).toContain("127.0.0.1:1");
});

test("UX-4: these command lines reach every dynamic import of the bundle", () => {
  expect(importsNotReached(built, join(base, "coverage"))).toEqual([]);
});

test("LOOP-15: the demo succeeds, fails, remembers, repairs and names its page, in under 40 lines", () => {
  const { code, stdout = "", stderr } = alone["demo"] ?? {};
  expect([stderr, code]).toEqual(["", 0]);
  expect(stdout.trimEnd().split("\n").length).toBeLessThan(40);
  const told = [
    /▶ 1\.1 Print a receipt/,
    /✓ verified/,
    /committed [0-9a-f]{9}$/m,
    /✗ failed: verification failed/,
    /of six apples four are paid/,
    /attempt 2 .* prompt shows 1 failed attempt/,
    /✓ verified/,
    /all tasks are done .* \$0\.12/,
    /per task +\$0\.06/,
    /^Remembered: 1\.2, attempt 1: .*six apples.* Attempt 2 had this in its prompt\.$/m,
    /^Stored in: .*\/\.ralph\/progress\.db; look around: node \S+ralph\.js -C \S+ dashboard$/m,
    /^Page: +file:\/\/.*\/\.ralph\/report\.html$/m,
    // No `ralph` is installed where only `npm run demo` was typed.
    /^Next: +run `node \S+\/bin\/ralph\.js init`/m,
  ];
  let from = 0;
  for (const line of told) {
    const found = stdout.slice(from).search(line);
    expect(found, `${line} in its place`).toBeGreaterThanOrEqual(0);
    from += found + 1;
  }
  // Nothing to worry a newcomer.
  expect(stdout).not.toMatch(/^ *!/m);
  const root = String(/^Stored in: +(.*)\/\.ralph\/progress\.db;/m.exec(stdout)?.[1]);
  expect(execFileSync("git", ["log", "--format=%s"], { cwd: root, encoding: "utf8" })).toMatch(
    /^Three apples for the price of two\nPrint a receipt\n/,
  );
  expect(readFileSync(join(root, ".ralph/report.html"), "utf8")).toContain("Print a receipt");
  rmSync(root, { recursive: true, force: true });
});
