import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { add } from "../src/cli/commands/task/edit.ts";
import type { CommandSpec } from "../src/cli/shell/command.ts";
import type { Iteration } from "../src/memory/learning-actions.ts";
import { runCommand } from "./run-command.ts";

/** A project without tasks to run commands in, gone when the test ends. */
export interface CommandFolder {
  readonly cwd: string;
  /** Runs a command and gives what it said on stdout. */
  run(spec: CommandSpec, ...words: string[]): Promise<string>;
  json(spec: CommandSpec, ...words: string[]): Promise<unknown>;
  /** As `run`, typed by the agent of an iteration on a task. */
  runInside(taskId: string, spec: CommandSpec, ...words: string[]): Promise<string>;
}

export function newFolder(): CommandFolder {
  const cwd = mkdtempSync(join(tmpdir(), "ralph-task-"));
  mkdirSync(join(cwd, ".ralph"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const runBy = async (iteration: Iteration | null, spec: CommandSpec, words: string[]): Promise<string> => {
    const said = await runCommand(spec, words, { cwd, iteration });
    expect(said.code).toBe(0);
    return said.out;
  };
  const run: CommandFolder["run"] = (spec, ...words) => runBy(null, spec, words);
  return {
    cwd,
    run,
    json: async (spec, ...words) => JSON.parse(await run(spec, ...words, "--json")),
    runInside: (taskId, spec, ...words) => {
      const startedAt = new Date().toISOString();
      return runBy({ taskId, runId: "r-1", iterationId: "i-1", model: "m", startedAt }, spec, words);
    },
  };
}

/** A project in which `b` waits for `a`. */
export async function twoTasks(): Promise<CommandFolder> {
  const folder = newFolder();
  await folder.run(add, "Parse dates", "--id", "a", "--priority", "high");
  await folder.run(add, "Document dates", "--id", "b", "--after", "a");
  return folder;
}
