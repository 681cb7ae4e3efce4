import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Agent, AgentRequest, AgentResult } from "../../agents/port/agent.ts";
import { makeFolders } from "../../base/careful-files.ts";
import { newId } from "../../base/ids.ts";

interface Question
  extends Pick<AgentRequest, "prompt" | "model" | "signal" | "isolation" | "sandbox" | "taskId"> {
  /** The project's root. */
  readonly root: string;
  /** Where the agent works; absent: an empty folder. */
  readonly cwd?: string;
  readonly timeoutMs: number;
  readonly idleTimeoutMs?: number | null;
}

/** Runs one session outside of a run, in a temporary folder that is removed, without ralph's tools. */
export async function askAgent(agent: Agent, { root, cwd, ...question }: Question): Promise<AgentResult> {
  const marker = newId(question.taskId, 5);
  const tmpDir = join(root, ".ralph", "tmp", marker);
  makeFolders(tmpDir);
  try {
    return await agent.run({
      ...{ runId: marker, attempt: 1, iteration: 1, marker, tmpDir, logFile: join(tmpDir, "session.log") },
      ...{ cwd: cwd ?? tmpDir, allowedCommands: [], journal: null, service: null },
      idleTimeoutMs: question.timeoutMs,
      onActivity: () => undefined,
      ...question,
    });
  } finally {
    await rm(tmpDir, { recursive: true, force: true });
  }
}
