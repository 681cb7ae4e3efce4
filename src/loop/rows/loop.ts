import { join } from "node:path";
import type { Agent } from "../../agents/port/agent.ts";
import type { IsolationLevel } from "../../agents/port/confinement.ts";
import type { Clock } from "../../base/clock.ts";
import type { Owner } from "../../base/owner.ts";
import type { SafeText } from "../../base/safe-text.ts";
import type { RunLimits } from "../../base/shared-settings.ts";
import type { VerifyCommand, VerifyGuard } from "../../base/verify-command.ts";
import type { PromptTemplate } from "../../context/template.ts";
import type { EventLog } from "../../events/event-log.ts";
import type { Memory } from "../../memory/port/memory.ts";
import type { SkillFolders } from "../../memory/port/skill-settings.ts";
import type { RunAnswer, RunRequest } from "../../service/protocol.ts";
import type { Db, TransactionOptions, Tx } from "../../store/port/db.ts";
import type { PlanSettings } from "../../strategy/plan-attempt.ts";
import type { Task } from "../../tasks/graph/task.ts";
import type { Background } from "./background.ts";
import type { StepWriter } from "./current-step.ts";
import type { IterationRow } from "./iteration-store.ts";
import type { LiveMessages, Slot } from "./slot.ts";

/** The settings of a run: plain values, already resolved and approved. */
export interface RunOptions extends Omit<PlanSettings, "limits"> {
  /** Only these tasks; null: all. */
  readonly only: readonly string[] | null;
  readonly completion: "signal" | "verified";
  readonly onFailure: "keep" | "rollback";
  readonly limits: RunLimits;
  /** The project's verification; a task's own commands take precedence. */
  readonly verify: readonly VerifyCommand[];
  readonly verifyGuard: VerifyGuard;
  /** Globs of more files that define verification. */
  readonly protect: readonly string[];
  /** Command lines that agents may run besides the verification. */
  readonly allow: readonly string[];
  /** Prepare the work tree of `verifyGuard: clean`. */
  readonly verifySetup: readonly VerifyCommand[];
  /** auto: verifies the tree before the first attempt, unless it passed before (LOOP-20). */
  readonly verifyBaseline: "auto" | "off";
  /** Attempts tasks although verification fails before them. */
  readonly allowRed: boolean;
  readonly commit: { readonly template: string | null; readonly enabled: boolean };
  readonly allowDirty: boolean;
  /** Adopt the changes of imported task lists when the run starts, and between two tasks. */
  readonly adoptLists: boolean;
  /** Also calls agents that an earlier run marked as rate-limited. */
  readonly ignoreLimits: boolean;
  /** The branch to create and work on; null: the branch that HEAD is on, with workers and no remote one of the run's own. */
  readonly branch: string | null;
  /** How many slots work at once, each in a work tree; null: one, in the project's own tree. */
  readonly workers: number | null;
  /** The git remote on whose branch slots land; null: they land in this clone. */
  readonly remote: string | null;
  readonly memory: MemoryOptions;
  /** Where skills are: agents may not change them. */
  readonly skills: SkillFolders & {
    /** Accept proposals of skills between iterations. */
    readonly autoAccept: boolean;
  };
  /** The text of `--spec`, shown as context. */
  readonly spec: string | null;
  /** The user's own prompt template; null: the built-in one. */
  readonly template: PromptTemplate | null;
  /** The name of the session of notes, if it was given. */
  readonly session: SafeText | null;
}

interface MemoryOptions {
  readonly enabled: boolean;
  readonly budgetChars: number;
  /** The maximum size of single sections in characters, by section name. */
  readonly sections: Readonly<Record<string, number>>;
  /** The age at which a finished task's strategy metrics are deleted. */
  readonly prune: { readonly metricsMs: number };
}

/** Settings and budget of the sessions that extract learnings from a session's log (LEARN-2). */
export interface Extraction {
  readonly when: "failures" | "all";
  /**
   * By the name of the agent whose session is read: that agent with the least permission it has, because it only reads its
   * prompt, and the model to ask.
   */
  readonly sessions: ReadonlyMap<string, { readonly agent: Agent; readonly model: string }>;
  /** Per run: no extraction starts once this much is spent. */
  readonly budgetUsd: number;
  /** The running totals of this run. */
  readonly spent: { usd: number; unpriced: number; failures: number };
}

/** The second agent that judges verified work before its commit: read-only, and its model. */
export interface Reviewer {
  readonly agent: Agent;
  readonly model: string;
}

/** Who chooses memory for the next tasks, and its limits (LEARN-16). */
interface Chooser {
  /** Read-only. */
  readonly agent: Agent;
  readonly model: string;
  /** Per run: no question starts once this much is spent. */
  readonly budgetUsd: number;
  /** Of one question. */
  readonly timeoutMs: number;
}

/** The questions of a run which memory its next tasks need: one at a time, beside its agents. */
export interface Choosing {
  /** The running totals of this run. */
  readonly spent: { usd: number; priced: boolean; unpriced: number; failures: number };
  /** Aborts at the end of the run. */
  readonly stop: AbortController;
  /** Those that are asked now; null: none. Never rejects. */
  current: Promise<void> | null;
}

/** Where the work trees of slots are. */
interface WorkTrees {
  /** Absolute; need not exist. */
  readonly folder: string;
  /** Opens the work tree at `top`. */
  open(top: string, slot: string): Promise<Pick<Slot, "root" | "sandbox" | "workspace">>;
}

/** The parts of a run that all its slots share, and that are no database rows. */
interface Run {
  readonly runId: string;
  /** The project's root, where a person works. */
  readonly projectRoot: string;
  /** `.ralph`, absolute. */
  readonly folder: string;
  readonly db: Db;
  readonly log: EventLog;
  readonly clock: Clock;
  readonly memory: Memory;
  /** In order of preference: the next is used when one is limited. */
  readonly agents: readonly [Agent, ...Agent[]];
  /** The environment of verification commands. */
  readonly env: Readonly<Record<string, string>>;
  readonly owner: Owner;
  readonly isolation: IsolationLevel;
  readonly trees: WorkTrees;
  readonly options: RunOptions;
  /** Asks a person whether to attempt tasks although verification fails before them; null: nobody can be asked. */
  readonly confirmRed: (() => Promise<boolean>) | null;
  /** Returns the ids of those tasks whose own verification no person allowed ralph to execute (TRUST-5). */
  unapproved(tasks: readonly Task[]): readonly string[];
  /** Executes what an agent asks of the run, in the name of its iteration (TRUST-9). */
  answer(request: RunRequest, iteration: IterationRow): Promise<RunAnswer>;
  /** Null: learnings are not extracted from session logs (LEARN-2). */
  readonly extraction: Extraction | null;
  /** Null: nobody reviews (UX-9). */
  readonly reviewer: Reviewer | null;
  /** Null: words alone choose learnings. */
  readonly chooser: Chooser | null;
  readonly choosing: Choosing;
  /** Aborted when a user asks to stop: the agent is ended, its work recorded, the claim released. */
  readonly stop: AbortSignal;
  /** Aborted when a user asks a second time: the agent is killed at once. */
  readonly forceStop: AbortSignal;
  /**
   * Runs work that occupies this process for seconds and that a kill cannot harm: a signal to stop then ends the process at
   * once. Call it where no agent and no git works.
   */
  killable<T>(work: () => Promise<T>): Promise<T>;
  readonly background: Background;
  readonly steps: StepWriter;
  readonly liveMessages: LiveMessages;
  readonly adopted: AdoptedLists;
  /** The commands of verification that were executed in this run, so that the environment has what they need. */
  readonly executed: Set<string>;
  /** The files of verification that a warning of this run named. */
  readonly warnedOf: Set<string>;
  /** Things that the own commands of tasks lacked in this run, so that they could not be executed. */
  readonly missing: Set<string>;
}

/** The texts of the task lists that this run adopted. */
interface AdoptedLists {
  /** By path, with the ticks of ralph since. */
  readonly texts: Map<string, string>;
  /** Times that a list had new items between two tasks. */
  growths: number;
  /** Tasks of the lists that wait until a person approves their own verification. */
  waiting: readonly string[];
}

/** The dependencies of one run, as its caller provides them. */
export type LoopSetup = Omit<
  Run,
  "adopted" | "background" | "choosing" | "executed" | "liveMessages" | "missing" | "steps" | "warnedOf"
> &
  Pick<Slot, "root" | "sandbox" | "workspace" | "cleanFolder">;

/** A run with the slot that works for it. */
export type Loop = Run & Slot;

/** Returns the path of an iteration's raw stream. */
export function sessionLog(
  { folder, runId }: Pick<Loop, "folder" | "runId">,
  { number, iterationId }: { readonly number: number; readonly iterationId: string },
): string {
  return join(folder, "logs", runId, `${number}-${iterationId}.log`);
}

/** Returns the path of an iteration's prompt as it was sent; it is pruned with the logs (PROMPT-6). */
export function sessionPrompt(...place: Parameters<typeof sessionLog>): string {
  return sessionLog(...place).replace(/\.log$/, ".prompt.md");
}

/** Runs `work` in one transaction and schedules the publication of its events. */
export async function commit<T>(
  loop: Pick<Loop, "db" | "log">,
  work: (tx: Tx) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  const result = await loop.db.transaction(work, options);
  loop.log.flushLater();
  return result;
}
