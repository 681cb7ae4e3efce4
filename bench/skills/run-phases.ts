import { join } from "node:path";
import { systemClock } from "../../src/base/clock.ts";
import { openEventLog } from "../../src/events/event-log.ts";
import type { Skill } from "../../src/memory/skills/store/skill.ts";
import {
  decideProposal,
  getSkill,
  listProposals,
  putSkill,
} from "../../src/memory/skills/store/skill-store.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { Db } from "../../src/store/port/db.ts";
import { safeText } from "../../src/trust/safe-text.ts";
import { type Practice, practice } from "../../test/e2e/practice.ts";
import { skillText } from "../../test/skill-files.ts";

export type FamilyKind = "helpful" | "harmful";

export interface BenchSize {
  /** Numbers of families. */
  readonly helpful: number;
  readonly harmful: number;
  /** Tasks of each family per phase. */
  readonly tasks: number;
  /** Attempts of each family with hold-outs. */
  readonly trials: Readonly<Record<FamilyKind, number>>;
  /** Share of attempts that turn out the other way. */
  readonly noise: number;
}

/** The results of one phase for the families of one kind. */
interface PhaseSide {
  /** The mean; a task that is never solved counts as its five. */
  readonly attempts: number;
  /** From 0 to 1. */
  readonly solved: number;
}

type PhaseResult = Readonly<Record<FamilyKind, PhaseSide>> & { readonly name: string };

const maxAttempts = 5;
const check = `grep -q right "out/$1.txt" || { echo "wrong result for $1"; exit 1; }\n`;

/**
 * Works with `ralph run` in a project of its own: without skills, with hold-outs, with skills, and with those that are left
 * when each proposal to retire one was accepted.
 */
export async function runPhases(size: BenchSize): Promise<{
  readonly phases: readonly PhaseResult[];
  readonly proposed: Readonly<Record<FamilyKind, number>>;
}> {
  const families = [...namesOf("helpful", size.helpful), ...namesOf("harmful", size.harmful)];
  const project = prepare(families, size.noise);
  try {
    await project.addTasks([]);
    await inStore(project, (db) => acceptSkills(db, families));
    const without = await runPhase(
      project,
      { name: "without skills", families, tasks: () => size.tasks },
      "--no-skills",
    );
    await runPhase(
      project,
      { name: "trials", families, tasks: (family) => size.trials[kindOf(family)], attempts: 1 },
      "--holdout",
      "0.5",
    );
    const retired = await inStore(project, pendingRetirements);
    const proposed = { helpful: countKind(retired, "helpful"), harmful: countKind(retired, "harmful") };
    const withAll = await runPhase(project, { name: "with all skills", families, tasks: () => size.tasks });
    await inStore(project, (db) => retire(db, retired));
    const after = await runPhase(project, { name: "after retirement", families, tasks: () => size.tasks });
    return { phases: [without, withAll, after], proposed };
  } finally {
    project.remove();
  }
}

const namesOf = (kind: FamilyKind, count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `${kind}-${at + 1}`);
const kindOf = (family: string): FamilyKind => (family.startsWith("helpful-") ? "helpful" : "harmful");
const countKind = (names: readonly string[], kind: FamilyKind): number =>
  names.filter((name) => name.startsWith(`${kind}-`)).length;

function prepare(families: readonly string[], noise: number): Practice {
  const argv = JSON.stringify(["sh", join(import.meta.dirname, "agent.sh"), String(Math.round(100 * noise))]);
  const skills = families.map((name) => {
    const body = `# ${name}\n\n- The pattern of ${name}.\n`;
    return [
      `.agents/skills/${name}/SKILL.md`,
      skillText(name, { description: `Rules of ${name}.`, tags: name, body }),
    ];
  });
  return practice({
    "check.sh": check,
    ".ralph/config.yaml": `agent: command\nagents: { command: { argv: ${argv} } }\nverifyBaseline: off\n`,
    ...Object.fromEntries(skills),
  });
}

interface Phase {
  readonly name: string;
  readonly families: readonly string[];
  readonly tasks: (family: string) => number;
  readonly attempts?: number;
}

/** Runs new tasks of every family, by turns. */
async function runPhase(
  project: Practice,
  { name, families, tasks, attempts = maxAttempts }: Phase,
  ...flags: readonly string[]
): Promise<PhaseResult> {
  const letter = name.replaceAll(" ", "");
  const idOf = (family: string, at: number): string => `${family}-${letter}-${at + 1}`;
  const rounds = Array.from({ length: Math.max(...families.map(tasks)) }, (_, at) => at);
  const added = rounds.flatMap((at) =>
    families
      .filter((family) => at < tasks(family))
      .map((family) => {
        const id = idOf(family, at);
        return {
          id,
          title: `Case ${at + 1}`,
          tags: [family],
          verification: [{ run: `sh check.sh ${id}`, timeoutMs: null }],
        };
      }),
  );
  await project.addTasks(added);
  await project.ralph("trust", "approve", "--yes");
  const { code, events } = await project.run("--max-attempts", String(attempts), ...flags);
  if (code !== 0 && code !== 4)
    throw new Error(`ralph run ended with ${code}: ${JSON.stringify(events.at(-1))}`);
  const listed = (await project.json("task", "list")) as readonly Listed[];
  const byId = new Map(listed.map((task) => [task.id, task]));
  const sideOf = (kind: FamilyKind): PhaseSide => {
    const own = added.filter(({ id }) => id.startsWith(`${kind}-`)).map(({ id }) => byId.get(id));
    const needed = own.map((task) => (task?.status === "done" ? task.attempts : maxAttempts));
    return {
      attempts: needed.reduce((sum, one) => sum + one, 0) / own.length,
      solved: own.filter((task) => task?.status === "done").length / own.length,
    };
  };
  return { name, helpful: sideOf("helpful"), harmful: sideOf("harmful") };
}

interface Listed {
  readonly id: string;
  readonly status: string;
  readonly attempts: number;
}

async function inStore<T>({ dir }: Practice, work: (db: Db) => Promise<T>): Promise<T> {
  const file = join(dir, ".ralph/events.jsonl");
  const db = await openStore({ path: join(dir, ".ralph/progress.db") });
  try {
    const result = await work(db);
    await openEventLog({ db, file, clock: systemClock, onFailure: console.error }).flush();
    return result;
  } finally {
    await db.close();
  }
}

async function acceptSkills(db: Db, families: readonly string[]): Promise<void> {
  const now = new Date();
  for (const family of families) {
    const name = safeText(family);
    const skill: Skill = {
      ...{ name, category: name, description: name, body: name, tags: [name], files: [], evidenceHash: "" },
      source: { date: now.toISOString().slice(0, 10), learningIds: [], taskIds: [], runIds: [] },
      ...{ status: "active", acceptedAt: now.toISOString(), updatedAt: now.toISOString() },
      ...{ retiredAt: null, reason: null },
    };
    await db.transaction((tx) => putSkill(tx, skill, "accepted", { runId: null, now }));
  }
}

async function pendingRetirements(db: Db): Promise<readonly string[]> {
  const pending = await listProposals(db, { status: "pending" });
  return pending.flatMap(({ kind, name }) => (kind === "retire" ? [name] : []));
}

/** Accepts the proposals to retire these skills. */
async function retire(db: Db, names: readonly string[]): Promise<void> {
  const occasion = { runId: null, now: new Date() };
  for (const name of names) {
    const [skill, [proposal]] = [
      await getSkill(db, name),
      await listProposals(db, { name, status: "pending" }),
    ];
    if (!skill || !proposal) throw new Error(`no proposal for ${name}`);
    await db.transaction(async (tx) => {
      await decideProposal(tx, proposal, "accepted", occasion);
      await putSkill(tx, { ...skill, status: "retired", reason: proposal.reason }, "retired", occasion);
    });
  }
}
