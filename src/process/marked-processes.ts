import { hasInheritedMark } from "./inherited-mark.ts";
import { type ProcessEntry, ps, readProc, type Survey } from "./process-table.ts";

interface MarkedProcesses {
  readonly running: ReadonlySet<number>;
  /** Marked processes that have ended; their group identifies the processes they started. */
  readonly zombies: readonly ProcessEntry[];
  /** False: the scan may have missed one, because processes started or ended meanwhile. */
  readonly settled: boolean;
}

/**
 * Finds the processes that were started with `RALPH_MARKER=<marker>`, or by such a process.
 */
export async function markedProcesses(survey: Survey, marker: string): Promise<MarkedProcesses> {
  if (process.platform !== "linux") {
    return { running: await markedByPs(marker), zombies: [], settled: true };
  }
  const surrounded = Buffer.from(`\0RALPH_MARKER=${marker}\0`);
  const isMarked = hasInheritedMark(marker);
  const running = survey.running.map(({ pid }) => {
    return { pid, mark: environOf(pid).includes(surrounded) || isMarked(pid) };
  });
  const zombies = survey.zombies.map((entry) => ({ entry, mark: isMarked(entry.pid) }));
  return {
    running: new Set(running.filter(({ mark }) => mark).map(({ pid }) => pid)),
    zombies: zombies.filter(({ mark }) => mark).map(({ entry }) => entry),
    // A process that ended before its mark was read may have been marked, and may have started another.
    settled:
      survey.vanished === 0 &&
      running.every(({ mark }) => mark !== undefined) &&
      zombies.every(({ mark }) => mark === false),
  };
}

async function markedByPs(marker: string): Promise<ReadonlySet<number>> {
  const wanted = `RALPH_MARKER=${marker}`;
  const { stdout } = await ps(["-axww", "-E", "-o", "pid=,command="]);
  const found = stdout.split("\n").filter((line) => ` ${line} `.includes(` ${wanted} `));
  return new Set(found.map((line) => Number.parseInt(line, 10)));
}

function environOf(pid: number): Buffer {
  return Buffer.concat([Buffer.of(0), readProc(pid, "environ") ?? Buffer.alloc(0), Buffer.of(0)]);
}
