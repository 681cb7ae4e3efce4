import { hasInheritedMark } from "./inherited-mark.ts";
import { type ProcessEntry, ps, readProc, type Survey } from "./process-table.ts";

interface MarkedProcesses {
  readonly running: ReadonlySet<number>;
  /** What has ended and was one of them tells the group that those it started are in. */
  readonly zombies: readonly ProcessEntry[];
  /** False: one may be there that was not seen, as others ended or began meanwhile. */
  readonly settled: boolean;
}

/** The processes that were started with `RALPH_MARKER=<marker>`, or by one that was. */
export async function markedProcesses(survey: Survey, marker: string): Promise<MarkedProcesses> {
  if (process.platform !== "linux") {
    return { running: await markedByPs(marker), zombies: [], settled: true };
  }
  const surrounded = Buffer.from(`\0RALPH_MARKER=${marker}\0`);
  const bears = hasInheritedMark(marker);
  const running = survey.running.map(({ pid }) => ({
    pid,
    mark: environOf(pid).includes(surrounded) || bears(pid),
  }));
  const zombies = survey.zombies.map((entry) => ({ entry, mark: bears(entry.pid) }));
  return {
    running: new Set(running.filter(({ mark }) => mark).map(({ pid }) => pid)),
    zombies: zombies.filter(({ mark }) => mark).map(({ entry }) => entry),
    // One that is gone before its mark could be read may have been ours, and have started another.
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
