import { describe, expect, test } from "vitest";
import { endFakes, fake, newToken, running } from "../fakes/fake.ts";
import { type Practice, practice, type RunEvent } from "./practice.ts";

// The whole form, which also takes the time: RALPH_TEST_DEADLINES=4 npx vitest run test/e2e/deadlines (npm run test:deadlines).
const timed = Number(process.env["RALPH_TEST_DEADLINES"] ?? 0);

/** How far from the limit an agent's end may be where the time is taken. */
const toleranceMs = 1000;
/** From the first signal to SIGKILL. */
const ladderMs = 3000;

interface FinishedRun {
  readonly code: number | null;
  readonly events: readonly RunEvent[];
}

/** A run over one task, whose agent is `argv`; its limits are `args`. Nothing of the agent may be left. */
async function runOneTask(
  {
    argv,
    format = "text",
    verify = "true",
  }: { readonly argv: readonly string[]; readonly format?: string; readonly verify?: string },
  ...args: string[]
): Promise<FinishedRun> {
  const made: Practice = practice();
  const token = newToken();
  try {
    const command = JSON.stringify({ argv: [...argv, `60.${token}`], format });
    made.write(
      ".ralph/config.yaml",
      `agent: command\nagents:\n  command: ${command}\nverify: ["${verify}"]\nverifyBaseline: off\n`,
    );
    made.git("add", "-A");
    made.git("commit", "-qm", "configure ralph");
    await made.approveConfig();
    await made.addTasks(["one"]);
    const { code, events } = await made.run("--max-attempts", "1", ...args);
    expect(running(token)).toBe(0);
    return { code, events };
  } finally {
    await endFakes([token]);
    made.remove();
  }
}

const event = ({ events }: FinishedRun, type: string): RunEvent | undefined =>
  events.find((one) => one.type === type);

/** The end of the agent's session; its time is looked at where times are taken. */
function expectAgent(
  finishedRun: FinishedRun,
  end: { readonly error: string | null; readonly afterMs: number },
): void {
  const finished = event(finishedRun, "agent.finished");
  expect(finished).toMatchObject({ error: end.error });
  const took = Number(finished?.["durationMs"]);
  expect(took).toBeGreaterThan(end.afterMs - 100);
  if (timed) expect(took).toBeLessThan(end.afterMs + toleranceMs);
}

const failed = { outcome: "error", taskStatus: "blocked", attempt: 1 };

// Side by side they cost no more than the longest; the time is taken of one alone.
describe.each(Array.from({ length: Math.max(timed, 1) }, (_, n) => n + 1))(
  "round %i",
  { concurrent: !timed, timeout: 120_000 },
  (round) => {
    const limit = timed ? round + 1 : 2;

    test("LOOP-7: an agent that hangs without a word is ended at the idle limit, and its attempt failed", async () => {
      const finishedRun = await runOneTask({ argv: fake("hang") }, "--idle-timeout", `${limit}s`);
      expectAgent(finishedRun, { error: "idle", afterMs: limit * 1000 });
      expect(event(finishedRun, "iteration.finished")).toMatchObject(failed);
      expect(finishedRun.code).toBe(4);
    });

    test("LOOP-7: an agent that talks for ever is ended at the time limit: chatter is no progress", async () => {
      const talk = ["sh", "-c", "while :; do echo still working; sleep 0.05; done"];
      const limits = ["--idle-timeout", "2s", "--task-timeout", `${limit + 1}s`];
      const finishedRun = await runOneTask({ argv: talk }, ...limits);
      expectAgent(finishedRun, { error: "timeout", afterMs: (limit + 1) * 1000 });
      expect(event(finishedRun, "iteration.finished")).toMatchObject(failed);
      expect(finishedRun.code).toBe(4);
    });

    test("LOOP-7: --task-timeout bounds the agent and its verification together", async () => {
      const script = `require("fs").writeFileSync("work.txt", "x"); console.log("<task-done>t-1</task-done>")`;
      const agent = { argv: [process.execPath, "-e", script], verify: "echo begun; sleep 60" };
      const finishedRun = await runOneTask(agent, "--task-timeout", `${limit}s`);
      expect(event(finishedRun, "iteration.finished")).toMatchObject({
        outcome: "failed",
        verification: "failed",
        category: "timeout",
        reason: expect.stringMatching(/timed out .*--task-timeout/),
      });
      const took = Number(event(finishedRun, "verification.finished")?.["durationMs"]);
      expect(took).toBeLessThan(limit * 1000 + (timed ? toleranceMs : ladderMs));
      expect(finishedRun.code).toBe(4);
    });

    test("LOOP-7: --max-duration ends an iteration in its midst, and burns no attempt", async () => {
      const finishedRun = await runOneTask({ argv: fake("hang") }, "--max-duration", `${limit + 1}s`);
      expect(event(finishedRun, "iteration.interrupted")).toMatchObject({ kind: "deadline" });
      expect(finishedRun.events.at(-1)).toMatchObject({
        type: "run.finished",
        reason: "max-duration",
        exitCode: 3,
      });
      expect([event(finishedRun, "iteration.finished"), finishedRun.events.at(-1)?.["tasks"]]).toMatchObject([
        undefined,
        { pending: 1 },
      ]);
      if (timed)
        expect(Number(finishedRun.events.at(-1)?.["durationMs"])).toBeLessThan(
          (limit + 1) * 1000 + toleranceMs,
        );
    });
  },
);
