import { parseStat, ps, readProc } from "../tree/process-table.ts";

/** Facts about a process that the system records and the process cannot choose. */
export interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  /** The pid of the session's first process, 0 if that is outside this PID namespace; null: unknown (not Linux). */
  readonly session: number | null;
  /** The controlling terminal, opaque; null: none. */
  readonly terminal: string | null;
  /** Orders processes by their start. */
  readonly startedAt: number;
  /** As in `Owner`. */
  readonly startTime: string;
}

/** Returns the facts of a process; undefined if it is gone. */
export type ProcessLookup = (pid: number) => ProcessFacts | undefined;

/** Returns a lookup: from /proc on Linux, elsewhere from one listing of `ps`; on Windows it finds nothing. */
export async function processLookup(): Promise<ProcessLookup> {
  if (process.platform === "linux") return linuxFacts;
  if (process.platform === "win32") return () => undefined;
  const { stdout } = await ps(["-ax", "-o", "pid=,ppid=,tty=,lstart="]);
  const all = new Map(stdout.split("\n").flatMap((line) => psFacts(line) ?? []));
  return (pid) => all.get(pid);
}

/** Returns the process and its ancestors, nearest first, as far as they are visible. */
export function ancestryOf(pid: number, look: ProcessLookup): readonly ProcessFacts[] {
  const line: ProcessFacts[] = [];
  const seen = new Set<number>();
  for (let next = look(pid); next && !seen.has(next.pid); next = look(next.parent)) {
    line.push(next);
    seen.add(next.pid);
  }
  return line;
}

/** Reads them from /proc. */
export function linuxFacts(pid: number): ProcessFacts | undefined {
  if (pid <= 0) return undefined;
  const stat = readProc(pid, "stat")?.toString("latin1") ?? "";
  const entry = parseStat(stat);
  if (!entry) return undefined;
  const [, , , session, terminal] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return {
    pid: entry.pid,
    parent: entry.parent,
    session: Number(session),
    terminal: terminal === "0" ? null : (terminal ?? null),
    startedAt: Number(entry.startTime),
    startTime: entry.startTime,
  };
}

function psFacts(line: string): readonly [readonly [number, ProcessFacts]] | undefined {
  const [, pid, parent, terminal, startTime] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*\S)\s*$/.exec(line) ?? [];
  if (!startTime) return undefined;
  const facts = {
    pid: Number(pid),
    parent: Number(parent),
    session: null,
    terminal: terminal === undefined || /^[?-]+$/.test(terminal) ? null : terminal,
    startedAt: Date.parse(startTime),
    startTime,
  };
  return [[facts.pid, facts]];
}
