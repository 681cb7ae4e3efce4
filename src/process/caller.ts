import { readdirSync, readlinkSync } from "node:fs";
import type { Owner } from "../base/owner.ts";
import { findReaper } from "./caller/find-reaper.ts";
import {
  ancestryOf,
  linuxFacts,
  type ProcessFacts,
  type ProcessLookup,
  processLookup,
} from "./caller/process-facts.ts";
import { firstNamespace, isAlive, namespaceOf, startTimeOf, thisOwner } from "./identity.ts";
import { canMark, hasInheritedMark, isMarked as isMarkedHere, markOf } from "./tree/inherited-mark.ts";
import { childrenOf, mayRaiseLimits, readProc } from "./tree/process-table.ts";

const onLinux = process.platform === "linux";

/** The open iterations of one run, as far as they identify its processes. */
export interface OpenWork {
  /** The process of `ralph run`. */
  readonly owner: Owner;
  /** The marks of the run's open iterations. */
  readonly markers: readonly string[];
  /** True while the run renews its claims: it is alive, even where its process cannot be observed. */
  readonly holdsLease: boolean;
}

/**
 * Decides whether this process was started by an open iteration of that run: by its agent, its verification or their
 * children, however they were started. It rests on what a child cannot shed, because an agent controls its environment:
 *
 * 1. The mark of any iteration, by its hard resource limit, which nothing that an agent starts can raise: inside, unless the
 *    run has it too, because a verification or an agent started it.
 * 2. Another boot of the machine, or another machine: outside. Another PID namespace than the run's: inside, unless this process
 *    is in the machine's first namespace, which no process can return to, or the run shows no sign of life.
 * 3. The run's process among the ancestors: inside.
 * 4. The mark of an iteration, by its resource limit or in the environment of an ancestor: inside.
 * 5. The run's process is gone: outside.
 * 6. Proof of the opposite: outside. A process whose parent has ended is adopted by an ancestor of the run. So these prove it:
 *    an ancestor that is older than the run and not one of its ancestors (a shell, an editor, cron); a session that is older
 *    than the run, or the run's (an agent begins a new one); an ancestor that entered this namespace from outside
 *    (`docker exec`); an agent that is in a namespace of its own, which it cannot leave; an agent whose hard resource limit
 *    this process has not, if none may raise it; and a common ancestor that adopts no orphans, so that it started this process.
 * 7. A controlling terminal that no process of the run holds: outside, unless this is root, who can fake it.
 * 8. Everything else is inside: a detached process, newer than the run, that nothing shows to be a person's.
 *
 * On macOS rules 2 (boot and machine), 3, 5, 6 (by age) and 7 apply, by `ps`; on Windows none, and only the environment counts.
 */
export async function isInside(work: OpenWork): Promise<boolean> {
  const place = placeOf(work);
  if (place !== "beside") return place === "below";
  const { owner, markers } = work;
  const look = await processLookup();
  const line = ancestryOf(process.pid, look);
  if (findRun(line, owner) >= 0) return true;
  if (onLinux && isMarked(line, markers)) return true;
  const run = look(owner.pid);
  if (run?.startTime !== owner.startTime || isShownOutside({ line, run, look })) return false;
  if (onLinux && hasNamespaceOfItsOwn(run.pid)) return false;
  if (onLinux && cannotLoseMark(run.pid)) return markOf(process.pid) !== "none";
  if (onLinux && (await wasStartedBeside(line, run, look))) return false;
  return process.getuid?.() === 0 || !isPersonsTerminal(line, work, look);
}

/**
 * Returns true if rules 1 to 4 alone show that this process was started by an iteration of that run, whatever its store says
 * and whichever iteration it is. A program that ralph starts itself, such as a hook of events, is not part of an iteration.
 */
export async function isCertainlyInside(work: Omit<OpenWork, "markers">): Promise<boolean> {
  const place = placeOf(work);
  if (place !== "beside" || !onLinux) return place === "below";
  const look = await processLookup();
  const line = ancestryOf(process.pid, look);
  const at = findRun(line, work.owner);
  return at > 0 && line.slice(0, at).some(({ pid }) => environOf(pid).includes("\0RALPH_MARKER="));
}

/**
 * Returns where this process is by rules 1 and 2: `beside` the run, where processes can be compared; `below` it, with a
 * mark or in a namespace that it cannot have otherwise; or `elsewhere`. The run itself is elsewhere.
 */
function placeOf({ owner, holdsLease }: Omit<OpenWork, "markers">): "beside" | "below" | "elsewhere" {
  const here = thisOwner();
  const isRun = owner.pid === here.pid && owner.startTime === here.startTime;
  if (isRun || process.platform === "win32") return "elsewhere";
  if (onLinux && hasMarkOf(owner)) return "below";
  if (owner.bootId !== here.bootId) return "elsewhere";
  if (!onLinux) return owner.host === here.host ? "beside" : "elsewhere";
  if (namespaceOf(owner) === namespaceOf(here)) return "beside";
  return namespaceOf(here) !== firstNamespace && holdsLease ? "below" : "elsewhere";
}

/** Returns true if this process has a mark that the run has not. A run that cannot be seen has none. */
function hasMarkOf(owner: Owner): boolean {
  const here = thisOwner();
  const isVisible =
    owner.bootId === here.bootId && owner.host === here.host && startTimeOf(owner.pid) === owner.startTime;
  if (!isVisible) return isMarkedHere();
  return markOf(owner.pid) === "none" && markOf(process.pid) !== "none";
}

/**
 * Returns true if this process was started by an iteration, a verification or a hook of ralph's, of whichever run, also where
 * no run is to be seen: an agent can hide it.
 */
export function isMarkedCaller(): boolean {
  return isMarkedHere();
}

/**
 * Returns true if the run is gone and did not leave this process: the machine was started again since, or this process is from
 * outside of this namespace, in a session that is older than the run, or without a mark where nothing can shed it. Only on Linux.
 */
export async function isClearOfGoneRun({ owner, holdsLease }: OpenWork): Promise<boolean> {
  const here = thisOwner();
  // Elsewhere nothing has a mark, and the name of a boot changes with the clock.
  if (!onLinux || isMarkedHere()) return false;
  if (owner.bootId !== here.bootId) return owner.host === here.host || !holdsLease;
  if (isAlive(owner)) return false;
  const line = ancestryOf(process.pid, linuxFacts);
  if (isFromOutside(line) || isOfOlderSession(line, Number(owner.startTime), linuxFacts)) return true;
  return !mayRaiseLimits(process.pid) && (await canMark());
}

function findRun(line: readonly ProcessFacts[], { pid, startTime }: Owner): number {
  return line.findIndex((one) => one.pid === pid && one.startTime === startTime);
}

/** Returns true if this process has a controlling terminal that no process of the open work holds. */
export async function hasOwnTerminal(works: readonly OpenWork[]): Promise<boolean> {
  const look = await processLookup();
  const line = ancestryOf(process.pid, look);
  if (!line[0] || line[0].terminal === null) return false;
  return works.every((work) => isPersonsTerminal(line, work, look));
}

interface Situation {
  /** This process and its ancestors. */
  readonly line: readonly ProcessFacts[];
  readonly run: ProcessFacts;
  readonly look: ProcessLookup;
}

function isShownOutside({ line, run, look }: Situation): boolean {
  const [self] = line;
  const above = new Set(ancestryOf(run.pid, look).map(({ pid }) => pid));
  if (line.some(({ pid, startedAt }) => !above.has(pid) && startedAt < run.startedAt)) return true;
  if (!onLinux || !self) return false;
  return isFromOutside(line) || self.session === run.session || isOfOlderSession(line, run.startedAt, look);
}

/** Returns true if a process of another namespace started the line. */
function isFromOutside(line: readonly ProcessFacts[]): boolean {
  const top = line.at(-1);
  return top !== undefined && top.parent === 0 && top.pid !== 1;
}

/** Returns true if the session of this process began before; nothing can join one. */
function isOfOlderSession(line: readonly ProcessFacts[], startedAt: number, look: ProcessLookup): boolean {
  const session = line[0]?.session ?? null;
  const leader = look(session ?? 0);
  return session === 0 || (leader !== undefined && leader.startedAt < startedAt);
}

/**
 * Returns true if an ancestor of the run started the line of this process itself: it is where the two lines meet, and orphans
 * of this process are adopted above it. A multiplexer that has both in its windows is such an ancestor.
 */
async function wasStartedBeside(
  line: readonly ProcessFacts[],
  run: ProcessFacts,
  look: ProcessLookup,
): Promise<boolean> {
  const above = ancestryOf(run.pid, look);
  const meeting = line.find(({ pid }) => above.some((one) => one.pid === pid));
  if (!meeting || meeting.pid === 1) return false;
  const reaper = await findReaper();
  return ancestryOf(meeting.parent, look).some(({ pid }) => pid === reaper);
}

function isMarked(line: readonly ProcessFacts[], markers: readonly string[]): boolean {
  return markers.some((marker) => {
    const hasLimit = hasInheritedMark(marker);
    const variable = Buffer.from(`\0RALPH_MARKER=${marker}\0`);
    return line.some(({ pid }) => hasLimit(pid) || environOf(pid).includes(variable));
  });
}

function environOf(pid: number): Buffer {
  return Buffer.concat([Buffer.of(0), readProc(pid, "environ") ?? Buffer.alloc(0), Buffer.of(0)]);
}

/** Returns true if the run's agent is in a PID namespace of its own. */
function hasNamespaceOfItsOwn(run: number): boolean {
  const own = linkOf(run, "ns/pid");
  return childrenOf(run).some((child) => {
    const theirs = linkOf(child, "ns/pid_for_children");
    return own !== undefined && theirs !== undefined && theirs !== own;
  });
}

/** Returns true if the run's agent has the mark's hard limit and may not raise it, and the run has it not. */
function cannotLoseMark(run: number): boolean {
  if (markOf(run) !== "none") return false;
  return childrenOf(run).some((child) => markOf(child) === "iteration" && !mayRaiseLimits(child));
}

function linkOf(pid: number, name: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/${name}`);
  } catch {
    return undefined;
  }
}

/** Returns true if the line begins at a terminal that no descendant of the run and no marked process holds. */
function isPersonsTerminal(line: readonly ProcessFacts[], work: OpenWork, look: ProcessLookup): boolean {
  const terminal = line[0]?.terminal ?? null;
  if (terminal === null) return false;
  if (!onLinux) return true;
  const run = look(work.owner.pid);
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const holders = pids.flatMap((pid) => look(Number(pid)) ?? []).filter((one) => one.terminal === terminal);
  return !holders.some((one) => {
    const ancestors = ancestryOf(one.pid, look);
    // Commands that the run itself executes, such as git, share its session; an agent begins a new one.
    const isOfRun = one.session !== run?.session && ancestors.slice(1).some(({ pid }) => pid === run?.pid);
    return isOfRun || isMarked(ancestors, work.markers);
  });
}
