import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { SafeText } from "../src/base/safe-text.ts";
import type { CommandSpec } from "../src/cli/shell/command.ts";
import { addProposal, getSkill } from "../src/memory/skills/store/skill-store.ts";
import { openStore } from "../src/store/open-store.ts";
import type { Db } from "../src/store/port/db.ts";
import { runCommand } from "./run-command.ts";
import { type SampleRecord, storeRecords } from "./sample-records.ts";
import { glassRecords } from "./skill-project.ts";
import { type TempRepository, tempRepository } from "./temp-repository.ts";

/** A git project in whose store three tasks on Liquid Glass have left their records. */
export interface SkillRepository extends TempRepository {
  /** Runs a command and returns what it printed. */
  run(spec: CommandSpec, ...words: string[]): Promise<string>;
  json<T>(spec: CommandSpec, ...words: string[]): Promise<T>;
  learn(...records: readonly SampleRecord[]): Promise<void>;
  proposeRetirement(name: string, reason: SafeText): Promise<void>;
}

export async function skillRepository(
  files: Readonly<Record<string, string>> = { "README.md": "# Watch\n" },
): Promise<SkillRepository> {
  const made = tempRepository(files);
  made.git("config", "user.name", "Ann");
  made.git("config", "user.email", "ann@example.com");
  const cwd = made.dir;
  mkdirSync(join(cwd, ".ralph"), { recursive: true });
  made.write(".git/info/exclude", ".ralph/*\n");
  let minute = 0;
  const open = (): Promise<Db> => openStore({ path: join(cwd, ".ralph/progress.db"), create: true });
  const learn = async (...records: readonly SampleRecord[]): Promise<void> => {
    const db = await open();
    const start = new Date("2026-03-01T10:00:00.000Z");
    await storeRecords(db, records, new Date(start.getTime() + 60_000 * minute));
    minute += records.length;
    await db.close();
  };
  await learn(...glassRecords);
  const proposeRetirement = async (name: string, reason: SafeText): Promise<void> => {
    const db = await open();
    const skill = await getSkill(db, name);
    if (!skill) throw new Error(`no skill ${name}`);
    await db.transaction((tx) =>
      addProposal(tx, { ...skill, kind: "retire", reason }, { runId: null, now: new Date() }),
    );
    await db.close();
  };
  const run = async (spec: CommandSpec, ...words: string[]): Promise<string> => {
    const { code, out } = await runCommand(spec, words, { cwd });
    expect(code).toBe(0);
    return out;
  };
  return {
    ...made,
    run,
    learn,
    proposeRetirement,
    json: async (spec, ...words) => JSON.parse(await run(spec, ...words, "--json")),
  };
}
