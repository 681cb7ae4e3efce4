import type { AgentLimit, AgentLimits } from "../../agents/agent-limits.ts";
import type { Pacer } from "../../base/clock.ts";
import type { TaskCounts } from "../../events/run-events.ts";
import { maintainMetrics } from "../../strategy/task-metrics.ts";
import type { Plan, Turn } from "../rows/iteration.ts";
import type { Loop } from "../rows/loop.ts";
import { openWorkQueue, type WorkQueue } from "../rows/work-queue.ts";
import { type BaselineState, beginBaseline } from "./choose-task.ts";
import type { Progress, RunStop } from "./stop-rules.ts";
import { publishFallback } from "./wait-for-agent.ts";

/** Judged iterations between two maintenances of memory. */
const maintainEvery = 10;

/** State that a run keeps between its iterations. */
export interface RunState {
  readonly startedMs: number;
  /** Milliseconds; not counted towards --max-duration. */
  pausedMs: number;
  readonly limits: AgentLimits;
  /** Iterations that began, interrupted ones included: the number of the last one. */
  started: number;
  /** Judged iterations. */
  iterations: number;
  /** `iterations` when maintenance was last due. */
  maintainedAt: number;
  costUsd: number;
  costKnown: boolean;
  /** A model whose attempt stated tokens and has no price; null: none so far. */
  unpriced: string | null;
  /** Consecutive iterations that lost their claim to a user or another run. */
  lostClaims: number;
  /** By agent: consecutive interruptions. */
  readonly interruptions: Map<string, number>;
  /** The agents whose words just said that they cannot be used: the next session must confirm that. */
  readonly doubted: Set<string>;
  /** The tasks whose session ended by a fault of the agent, and the last of these faults until a session is judged. */
  readonly faults: { readonly tasks: Set<string>; last: AgentFault | null };
  /** Interrupted sessions that cost money, beyond the first few in a row, or blocked their task: they count towards --max-iterations. */
  paidInterruptions: number;
  /** The agent used in place of a limited one, so that the change is published once. */
  fallback: string | null;
  readonly baseline: BaselineState;
  /** The tasks in a row whose commit message a hook refused. */
  readonly refusedMessages: string[];
  /** The reason for which `verifyGuard` refused the last attempt; null: it did not. */
  refusedBy: string | null;
  /** Proposals of skills that could not be accepted, so that each is reported once. */
  readonly postponedSkills: Set<string>;
  readonly queue: WorkQueue;
  /** Why the run ends, once a slot has met a reason; null: it continues. */
  end: RunStop | null;
  /** True: a limit has just been waited for, and one slot tries first. */
  afterLimit: boolean;
  /** The known costs of this run's attempts. */
  readonly costs: number[];
  /** The tasks whose work clashed with what landed meanwhile, with its files: they come last, and no two with the same file at once. */
  clashed: Map<string, readonly string[]>;
  /** The last known counts, for when the store can no longer be read. */
  counts: TaskCounts;
}

interface AgentFault {
  readonly taskId: string;
  readonly message: string;
}

/** Returns the state of a run that begins now. */
export function beginState(loop: Pick<Loop, "clock">, counts: TaskCounts): RunState {
  return {
    startedMs: loop.clock.monotonic(),
    pausedMs: 0,
    limits: new Map(),
    started: 0,
    iterations: 0,
    maintainedAt: 0,
    costUsd: 0,
    costKnown: false,
    unpriced: null,
    lostClaims: 0,
    interruptions: new Map(),
    doubted: new Set(),
    faults: { tasks: new Set(), last: null },
    paidInterruptions: 0,
    fallback: null,
    baseline: beginBaseline(),
    refusedMessages: [],
    refusedBy: null,
    postponedSkills: new Set(),
    queue: openWorkQueue(),
    end: null,
    afterLimit: false,
    costs: [],
    clashed: new Map(),
    counts,
  };
}

/** Returns the run's progress towards its limits. */
export function progressOf(loop: Pick<Loop, "choosing" | "clock">, state: RunState): Progress {
  const elapsedMs = workedMs(loop, state);
  return {
    iterations: state.iterations + state.paidInterruptions,
    costUsd: costOf(loop, state),
    elapsedMs,
  };
}

/** Returns the sum of the known costs, with what it cost to choose memory. */
export function costOf({ choosing }: Pick<Loop, "choosing">, { costUsd }: RunState): number {
  return costUsd + choosing.spent.usd;
}

/** Returns the milliseconds since the start, without pauses. */
function workedMs(loop: Pick<Loop, "clock">, state: RunState): number {
  return loop.clock.monotonic() - state.startedMs - state.pausedMs;
}

/** Returns the milliseconds until the run's deadline, at least 1; null when it has none. */
export function remaining(loop: Pick<Loop, "clock" | "options">, state: RunState): number | null {
  const { maxDurationMs } = loop.options.limits;
  if (maxDurationMs === null) return null;
  return Math.max(1, maxDurationMs - workedMs(loop, state));
}

/** Returns true once per `maintainEvery` judged iterations, even if the next one is interrupted repeatedly. */
function maintenanceDue(state: RunState): boolean {
  if (state.iterations < state.maintainedAt + maintainEvery) return false;
  state.maintainedAt = state.iterations;
  return true;
}

type Maintained = Pick<Loop, "clock" | "db" | "memory" | "options" | "runId">;

/** Maintains memory and deletes old strategy metrics, within limits. A pacer divides it into slices. Never throws. */
export async function maintainProject(
  { memory, db, runId, clock, options }: Maintained,
  pacer?: Pacer,
): Promise<void> {
  await memory.maintain(db, runId, pacer);
  const { metricsMs } = options.memory.prune;
  await maintainMetrics(db, { metricsMs, runId, now: clock.now(), pacer });
}

interface Planned extends Pick<Turn, "failedBefore"> {
  readonly plan: Plan;
  readonly insteadOf: AgentLimit | null;
}

/** Counts an iteration that begins, and reports a substitute for a limited agent. Maintenance that is due runs beside it. */
export function beginTurn(loop: Loop, state: RunState, { plan, insteadOf, failedBefore }: Planned): Turn {
  const { name } = plan.agent;
  state.fallback = publishFallback(loop, { before: state.fallback, agent: name, insteadOf });
  state.started += 1;
  if (maintenanceDue(state)) loop.background.queue((pacer) => maintainProject(loop, pacer));
  return {
    number: state.started,
    interruptions: state.interruptions.get(name) ?? 0,
    remainingMs: remaining(loop, state),
    faultyTasks: state.faults.tasks,
    failedBefore,
  };
}
