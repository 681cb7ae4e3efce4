import { afterAll, beforeAll, expect, test } from "vitest";
import { copyOf, type Practice, practice } from "../e2e/practice.ts";
import { canInject, durableCalls, type Ended, type FaultPoint, pointsOf, runWith } from "./trace.ts";

// Every fault at every durable call of an iteration: npm run test:faults. The default suite takes a few of them.
const whole = process.env["RALPH_TEST_FAULTS"] !== undefined;
const only = process.env["RALPH_TEST_FAULTS_ONLY"];
const injectable = canInject();
/** 1: every point; 10: every tenth. */
const every = Number(process.env["RALPH_TEST_FAULTS"] ?? 1);
const sample = 1;
const atOnce = 2;
const ids = ["t-1", "t-2"];

let original: Practice;
/** Faults that happened: a run may take another way than the one whose calls were counted, and have fewer. */
let injected = 0;
let points: readonly FaultPoint[] = [];

beforeAll(async () => {
  if (!injectable) return;
  original = practice({
    "check.sh": "! grep -rqs BROKEN src\n",
    "src/base.txt": "base\n",
    "tasks.md": "# Tasks\n\n- [ ] One\n- [ ] Two\n",
  });
  const write = { "src/{id}.txt": "work on {id}\n" };
  await original.useWorker(
    { "*": [{ write, say: "<task-done>{id}</task-done>" }] },
    'verify: ["sh check.sh"]\n',
  );
  await original.addTasks(["One", "Two"]);
  // The first start of ralph here writes the suite's own cache of code.
  const first = await copyOfApproved();
  await first.start("run", "--once");
  first.remove();
  const traced = await copyOfApproved();
  const found = await durableCalls(traced);
  points = pointsOf(found);
  if (whole) process.stdout.write(`${found.length} durable calls, ${points.length} points\n`);
  traced.remove();
}, 120_000);
afterAll(() => original?.remove());

async function copyOfApproved(): Promise<Practice> {
  const made = copyOf(original);
  await made.approveConfig();
  return made;
}

const nameOf = ({ call, number, fault, fromThenOn }: FaultPoint): string =>
  `${fault} at ${call} ${number}${fromThenOn ? " and all after it" : ""}`;

/** Returns what went wrong after the fault; empty: nothing. */
async function tryPoint(point: FaultPoint): Promise<readonly string[]> {
  const made = await copyOfApproved();
  try {
    const ended = await runWith(made, point);
    if (ended.injected) injected += 1;
    const faults = [...faultsOf(ended), ...(await afterwards(made))];
    return faults.map((fault) => `${nameOf(point)}: ${fault}`);
  } finally {
    made.remove();
  }
}

function faultsOf({ code, output }: Ended): readonly string[] {
  const trace = /^\s+at .+:\d+:\d+\)?$/m.exec(output);
  const allowed = [null, 0, 1, 2, 3, 4, 5, 137];
  return [
    ...(trace ? [`a stack trace: ${output.slice(0, 600)}`] : []),
    ...(allowed.includes(code) ? [] : [`exit code ${code}: ${output.slice(0, 600)}`]),
  ];
}

/** The next run needs no help: it does what is left, once, and nothing is half-written. */
async function afterwards(made: Practice): Promise<readonly string[]> {
  const found: string[] = [];
  const { code, stderr, events } = await made.run();
  if (code !== 0)
    found.push(
      `the next run exits with ${code}: ${stderr.slice(0, 600)}, ${JSON.stringify(events).slice(0, 6000)}`,
    );
  if (/^\s+at .+:\d+:\d+\)?$/m.test(stderr))
    found.push(`the next run prints a stack trace: ${stderr.slice(0, 600)}`);
  const list = (await made.json("task", "list")) as { id: string; status: string }[];
  const done = list.filter(({ status }) => status === "done").map(({ id }) => id);
  if (done.join() !== ids.join())
    found.push(`done: ${done.join() || "none"} of ${list.map(({ id }) => id).join()}`);
  const trailers = made.git("log", "--format=%(trailers:key=Ralph-Task,valueonly,separator=%x2C)");
  const commits = trailers.split("\n").filter(Boolean).sort();
  if (commits.join() !== ids.join()) found.push(`commits: ${commits.join()}`);
  const status = made.git("status", "--porcelain");
  if (status !== "") found.push(`the tree is not clean: ${status}`);
  for (const id of ids) {
    if (made.read(`src/${id}.txt`) !== `work on ${id}\n`) found.push(`src/${id}.txt is not the agent's work`);
  }
  const doctor = await made.answer("doctor");
  if (doctor.code !== 0) found.push(`doctor exits with ${doctor.code}: ${doctor.stdout.slice(0, 600)}`);
  made.git("fsck", "--no-progress");
  return found;
}

function chosen(): readonly FaultPoint[] {
  if (only !== undefined) return points.filter((point) => nameOf(point).includes(only));
  if (whole) return points.filter((_, n) => n % every === 0);
  const spread = Array.from(
    { length: sample },
    (_, n) => points[Math.floor(((n + 0.5) * points.length) / sample)],
  );
  // These once ended in a stack trace: a folder of ralph cannot be made, a file of its own not be removed.
  const known = points.filter((point) => ["ENOSPC at mkdir 2", "EIO at unlink 2"].includes(nameOf(point)));
  return [...spread, ...known].filter((point): point is FaultPoint => point !== undefined);
}

test.skipIf(!injectable)(
  "TRUST-8 LOOP-11: whatever durable call of an iteration fails or ends ralph, the next run completes the work once",
  async () => {
    const waiting = [...chosen()];
    const total = waiting.length;
    const found: string[] = [];
    const work = async (): Promise<void> => {
      for (let point = waiting.shift(); point; point = waiting.shift()) {
        const wrong = await tryPoint(point).catch((error: unknown) => [`${nameOf(point)}: ${String(error)}`]);
        found.push(...wrong);
        if (whole && (total - waiting.length) % 50 === 0)
          process.stdout.write(`${total - waiting.length} of ${total}\n`);
        for (const line of whole ? wrong : []) process.stdout.write(`${line}\n`);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    if (whole) process.stdout.write(`${injected} of ${total} faults happened\n`);
    expect(found).toEqual([]);
    expect(injected).toBeGreaterThanOrEqual(total * 0.9);
  },
  whole ? 7_200_000 : 120_000,
);
