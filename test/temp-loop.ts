import { chmodSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { thisOwner } from "../src/agents/supervision.ts";
import { systemClock } from "../src/base/clock.ts";
import { openEventLog } from "../src/events/event-log.ts";
import type { LoopSetup, RunOptions } from "../src/loop/rows/loop.ts";
import { openMemory } from "../src/memory/memory.ts";
import { createTask } from "../src/tasks/graph/task-store.ts";
import { newCommand } from "./fakes/new-agent.ts";
import { rejectLater } from "./reject-later.ts";
import { gitEnv, removeTempRepositories, type TempRepository, tempRepository } from "./temp-repository.ts";
import { openTempStoreAt } from "./temp-store.ts";
import { openRunWorkspace } from "./temp-workspace.ts";

interface TempLoop {
  readonly repository: TempRepository;
  readonly setup: LoopSetup;
  /** The types of all published events, in order. */
  readonly published: string[];
}

const options: RunOptions = {
  only: null,
  flagModel: null,
  strategy: "fixed",
  usualUsd: new Map(),
  taskValueUsd: null,
  completion: "signal",
  onFailure: "keep",
  limits: {
    maxIterations: 0,
    maxAttempts: 2,
    stuckAfter: 3,
    escalateAfter: 2,
    budgetUsd: null,
    maxDurationMs: null,
    taskTimeoutMs: 20_000,
    idleTimeoutMs: 20_000,
  },
  verify: [{ run: "test -e done.txt", timeoutMs: null }],
  verifyGuard: "report",
  protect: [],
  allow: [],
  verifySetup: [],
  verifyBaseline: "off",
  allowRed: false,
  commit: { template: null, enabled: true },
  allowDirty: false,
  adoptLists: false,
  ignoreLimits: false,
  branch: null,
  workers: null,
  remote: null,
  memory: { enabled: true, budgetChars: 5000, sections: {}, prune: { metricsMs: 1 } },
  skills: { dirs: [".agents/skills", ".claude/skills"], layout: "skills", autoAccept: false },
  spec: null,
  template: null,
  session: null,
};

/**
 * A run in this process on a real repository and store, with one task per title (`t-1`, `t-2`, …). The agent is the shell
 * script `agent`, which reads its prompt first; verification passes when `done.txt` exists.
 */
export async function tempLoop(
  agent: string,
  titles: readonly string[] = ["Write done.txt"],
  changes: Partial<RunOptions> = {},
): Promise<TempLoop> {
  const repository = tempRepository();
  onTestFinished(removeTempRepositories);
  repository.write(".git/info/exclude", ".ralph\n");
  const root = repository.dir;
  const db = await openTempStoreAt(root);
  await db.transaction(async (tx) => {
    for (const [at, title] of titles.entries())
      await createTask(tx, { id: `t-${at + 1}`, title }, new Date());
  });
  const log = openEventLog({
    db,
    file: join(root, ".ralph", "events.jsonl"),
    clock: systemClock,
    onFailure: (error) => {
      // A flush that was due as the test ended.
      if (!String(error).includes("after it was closed")) rejectLater(error);
    },
  });
  const published: string[] = [];
  log.subscribe(({ type }) => void published.push(type));
  const argv = ["sh", "-c", `cat > /dev/null; ${agent}`];
  const setup: LoopSetup = {
    runId: "run-1",
    root,
    folder: join(root, ".ralph"),
    projectRoot: root,
    trees: { folder: `${root}-trees`, open: () => Promise.reject(new Error("no workers")) },
    cleanFolder: `${root}-clean`,
    db,
    log,
    clock: systemClock,
    workspace: await openRunWorkspace(root, gitEnv),
    memory: openMemory({
      db,
      log,
      enabled: true,
      root,
      now: systemClock.now,
      learnings: { max: 5, holdout: 0 },
    }),
    agents: [newCommand({ argv, env: gitEnv })],
    env: gitEnv,
    owner: thisOwner(),
    isolation: "process-group",
    sandbox: null,
    options: { ...options, ...changes },
    answer: async () => ({ code: 2, stdout: "", stderr: "" }),
    confirmRed: null,
    unapproved: () => [],
    extraction: null,
    reviewer: null,
    chooser: null,
    stop: new AbortController().signal,
    forceStop: new AbortController().signal,
    killable: (work) => work(),
  };
  return { repository, setup, published };
}

/** Shell words with which an agent claims that its task is done. */
export const claimsDone = 'echo "<task-done>$RALPH_TASK_ID</task-done>"';

/** Makes git sign commits by a program that works once, as ralph tries it before the first agent, and fails from then on. */
export function failToSign({ dir, git, write }: TempRepository): void {
  const program = join(dir, ".git", "sign");
  // git calls a program that ends before it has read its input a failure.
  const sign = String.raw`cat > /dev/null; printf '\n[GNUPG:] SIG_CREATED ' >&2; echo signature`;
  write(".git/sign", `#!/bin/sh\nmkdir "$0.tried" || exit 1\n${sign}\n`);
  chmodSync(program, 0o755);
  git("config", "commit.gpgsign", "true");
  git("config", "gpg.program", program);
}
