import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { copyOf, type Practice, practice, ralphStart } from "../e2e/practice.ts";

/** A run whose phases can be met one by one. */
export interface Staged {
  readonly made: Practice;
  readonly run: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  /** Lets go of whatever is held. */
  release(): void;
}

type Reach = (made: Practice) => Promise<Staged>;

const holders = ["agent", "verify", "hook"] as const;
type Holder = (typeof holders)[number];

/** Waits, where it is armed, until it is disarmed. */
const hold = `[ -e ../arm-$1 ] || exit 0
: > ../at-$1
while [ -e ../arm-$1 ]; do sleep 0.05; done
`;

let original: Promise<Practice> | undefined;

/** A copy of a project with two tasks, whose agent, verification and commit hook can be held. */
export async function stage(): Promise<Practice> {
  original ??= newStage();
  const made = copyOf(await original);
  await made.approveConfig();
  return made;
}

/** Removes what the copies were made of. */
export async function removeStage(): Promise<void> {
  (await original)?.remove();
  original = undefined;
}

async function newStage(): Promise<Practice> {
  const made = practice({ "src/base.txt": "x", ".gitignore": "ignored.txt\n" });
  made.write("../hold.sh", hold);
  const agent = { run: [["sh", "../hold.sh", "agent"]], write: { "src/{id}.txt": "work on {id}\n" } };
  await made.useWorker({ "*": [agent] }, 'verify: ["sh ../hold.sh verify", "test -e src"]\n');
  await made.addTasks(["work on t-1", "work on t-2"]);
  made.write(".git/hooks/pre-commit", "#!/bin/sh\nsh ../hold.sh hook\n");
  chmodSync(join(made.dir, ".git/hooks/pre-commit"), 0o755);
  made.write("mine.txt", "a person's own\n");
  made.write("ignored.txt", "ignored, and a person's own\n");
  return made;
}

export const phases: Readonly<Record<string, Reach>> = {
  recovering: async (made) => {
    const first = await heldBy("hook")(made);
    first.run.kill("SIGKILL");
    await first.ended;
    rmSync(join(made.dir, "../at-hook"));
    first.release();
    await noGit(made);
    return heldBy("hook")(made);
  },
  picking: seen("run.started"),
  claiming: async (made) => {
    const staged = await seen("run.started")(made);
    await sleep(30);
    return staged;
  },
  "agent starting": seen("iteration.started"),
  "agent working": heldBy("agent"),
  judging: seen("agent.finished"),
  verifying: heldBy("verify"),
  recording: seen("verification.finished"),
  committing: heldBy("hook"),
  paused: async (made) => {
    const staged = await heldBy("agent")(made);
    await made.ralph("pause");
    const paused = told(staged.run, "run.paused");
    staged.release();
    await paused;
    return staged;
  },
  finishing: seen("commit.created", 2),
};

function start(made: Practice): Staged {
  const run = spawn(process.execPath, [...ralphStart, "run", "--json"], {
    cwd: made.dir,
    env: made.env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = new Promise<{ code: number | null; signal: string | null }>((done) =>
    run.once("exit", (code, signal) => done({ code, signal })),
  );
  run.stdout?.on("data", () => undefined);
  return { made, run, ended, release: () => holders.forEach((name) => void arm(made, name, false)) };
}

function arm(made: Practice, name: Holder, on: boolean): void {
  if (on) made.write(`../arm-${name}`, "");
  else rmSync(join(made.dir, `../arm-${name}`), { force: true });
}

function heldBy(name: Holder): Reach {
  return async (made) => {
    arm(made, name, true);
    const staged = start(made);
    await eventually(() => existsSync(join(made.dir, `../at-${name}`)));
    return staged;
  };
}

function seen(type: string, count = 1): Reach {
  return async (made) => {
    const staged = start(made);
    await told(staged.run, type, count);
    return staged;
  };
}

async function told(run: ChildProcess, type: string, count = 1): Promise<void> {
  let text = "";
  await new Promise<void>((done) => {
    run.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (text.split(`"type":"${type}"`).length > count) done();
    });
    run.once("exit", () => done());
  });
}

async function eventually(holds: () => boolean): Promise<void> {
  for (let n = 0; n < 2400 && !holds(); n++) await sleep(25);
  if (!holds()) throw new Error("it never came to that");
}

/** Until no git works in the project any more: one that was let go of ends by itself. */
export async function noGit({ dir }: Practice): Promise<void> {
  const { programsInFolder } = await import("../../src/process/programs-in-folder.ts");
  for (let n = 0; n < 400 && ((await programsInFolder("git", dir)) ?? []).length > 0; n++) await sleep(25);
}
