import { bearsMark } from "./inherited-mark.ts";
import { ps, readProc, type Survey } from "./process-table.ts";

interface Carriers {
  readonly pids: ReadonlySet<number>;
  /** False: one may be there that was not seen, as others ended or began meanwhile. */
  readonly settled: boolean;
}

/** The running processes that were started with `RALPH_MARKER=<marker>`, or by one that was. */
export async function carriers(survey: Survey, marker: string): Promise<Carriers> {
  if (process.platform !== "linux") return { pids: await carriersByPs(marker), settled: true };
  const surrounded = Buffer.from(`\0RALPH_MARKER=${marker}\0`);
  const bears = bearsMark(marker);
  const looks = survey.running.map(({ pid }) => ({
    pid,
    mark: environOf(pid).includes(surrounded) || bears(pid),
  }));
  return {
    pids: new Set(looks.filter(({ mark }) => mark).map(({ pid }) => pid)),
    settled:
      survey.vanished === 0 &&
      looks.every(({ mark }) => mark !== undefined) &&
      !survey.zombies.some(({ pid }) => bears(pid)),
  };
}

async function carriersByPs(marker: string): Promise<ReadonlySet<number>> {
  const wanted = `RALPH_MARKER=${marker}`;
  const { stdout } = await ps(["-axww", "-E", "-o", "pid=,command="]);
  const found = stdout.split("\n").filter((line) => ` ${line} `.includes(` ${wanted} `));
  return new Set(found.map((line) => Number.parseInt(line, 10)));
}

function environOf(pid: number): Buffer {
  return Buffer.concat([Buffer.of(0), readProc(pid, "environ") ?? Buffer.alloc(0), Buffer.of(0)]);
}
