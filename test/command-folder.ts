import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { add } from "../src/cli/commands/task/add.ts";
import type { CommandSpec } from "../src/cli/shell/command.ts";
import { runCommand } from "./run-command.ts";

/** A project without tasks to run commands in, gone when the test ends. */
export interface CommandFolder {
  readonly cwd: string;
  /** Runs a command and gives what it said on stdout. */
  run(spec: CommandSpec, ...words: string[]): Promise<string>;
  json(spec: CommandSpec, ...words: string[]): Promise<unknown>;
}

export function newFolder(): CommandFolder {
  const cwd = mkdtempSync(join(tmpdir(), "ralph-task-"));
  mkdirSync(join(cwd, ".ralph"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const run = async (spec: CommandSpec, ...words: string[]): Promise<string> => {
    const said = await runCommand(spec, words, { cwd });
    expect(said.code).toBe(0);
    return said.out;
  };
  return { cwd, run, json: async (spec, ...words) => JSON.parse(await run(spec, ...words, "--json")) };
}

/** A project in which `b` waits for `a`. */
export async function twoTasks(): Promise<CommandFolder> {
  const folder = newFolder();
  await folder.run(add, "Parse dates", "--id", "a", "--priority", "high");
  await folder.run(add, "Document dates", "--id", "b", "--after", "a");
  return folder;
}
