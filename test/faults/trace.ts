import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Practice, ralphStart } from "../e2e/practice.ts";

/** A system call of ralph's main thread that changes something durable, and which of its kind it is, from 1. */
export interface Call {
  readonly name: string;
  readonly number: number;
  readonly line: string;
}

/** The fault of a call: SIGKILL as it begins, or an error in its place. */
type Fault = "KILL" | "ENOSPC" | "EIO" | "EROFS" | "EMFILE";

export interface FaultPoint {
  readonly call: string;
  readonly number: number;
  readonly fault: Fault;
  /** True: this call and all later ones of its name. */
  readonly fromThenOn: boolean;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly output: string;
  /** Whether the fault happened. */
  readonly injected: boolean;
}

const calls = ["openat", "pwrite64", "write", "fsync", "fdatasync", "rename", "unlink", "mkdir", "ftruncate"];

/** The faults that each call can meet. */
const faultsOf: Readonly<Record<string, readonly Fault[]>> = {
  openat: ["KILL", "ENOSPC", "EROFS", "EMFILE", "EIO"],
  pwrite64: ["KILL", "ENOSPC", "EIO"],
  write: ["KILL", "ENOSPC", "EIO"],
  fsync: ["KILL", "EIO"],
  fdatasync: ["KILL", "EIO"],
  rename: ["KILL", "ENOSPC", "EIO", "EROFS"],
  unlink: ["KILL", "EROFS", "EIO"],
  mkdir: ["KILL", "ENOSPC", "EROFS"],
  ftruncate: ["KILL", "EIO"],
};

/** Whether strace can be used here. */
export function canInject(): boolean {
  return spawnSync("strace", ["-e", "inject=none:error=EIO", "-o", "/dev/null", "true"]).status === 0;
}

/** Runs `ralph run --once` and returns its durable calls from the first that begins the iteration to the last commit. */
export async function durableCalls(made: Practice): Promise<readonly Call[]> {
  const file = join(mkdtempSync(join(tmpdir(), "ralph-trace-")), "calls");
  try {
    await straced(made, ["-y", "-s", "200", "-e", `trace=${calls.join(",")}`, "-o", file]);
    return callsIn(readFileSync(file, "utf8"));
  } finally {
    rmSync(join(file, ".."), { recursive: true });
  }
}

/** Runs `ralph run --once` with the fault. */
export async function runWith(made: Practice, point: FaultPoint): Promise<Ended> {
  const folder = mkdtempSync(join(tmpdir(), "ralph-trace-"));
  const file = join(folder, "calls");
  const what = point.fault === "KILL" ? "signal=KILL" : `error=${point.fault}`;
  const when = `${point.number}${point.fromThenOn ? "+" : ""}`;
  try {
    const inject = `inject=${point.call}:${what}:when=${when}`;
    const ended = await straced(made, ["-e", `trace=${point.call}`, "-e", inject, "-o", file]);
    const trace = existsSync(file) ? readFileSync(file, "utf8") : "";
    return { ...ended, injected: /\(INJECTED\)|killed by SIGKILL/.test(trace) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function straced(made: Practice, flags: readonly string[]): Promise<Omit<Ended, "injected">> {
  return new Promise((done) => {
    const argv = [...flags, process.execPath, ...ralphStart, "run", "--once"];
    const child = spawn("strace", argv, { cwd: made.dir, env: made.env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    }
    child.once("close", (code, signal) => done({ code, signal, output }));
  });
}

/** Returns every call that creates, changes or syncs something in the project, in ralph's folders or beside them. */
function callsIn(trace: string): readonly Call[] {
  const counted = new Map<string, number>();
  const found: Call[] = [];
  for (const line of trace.split("\n")) {
    const name = /^(?:\d+ +)?(\w+)\(/.exec(line)?.[1];
    if (name === undefined) continue;
    const number = (counted.get(name) ?? 0) + 1;
    counted.set(name, number);
    if (isDurable(name, line)) found.push({ name, number, line });
  }
  const first = found.findIndex(({ line }) => line.includes("progress.db"));
  return found.slice(Math.max(0, first));
}

function isDurable(name: string, line: string): boolean {
  if (name === "openat") return /O_CREAT|O_RDWR|O_WRONLY/.test(line) && !line.includes("/dev/");
  if (name !== "write") return true;
  // To a file, not to a pipe, a terminal or an event descriptor.
  return /^(?:\d+ +)?write\(\d+<\//.test(line) && !line.includes("</dev/");
}

/** Returns every fault that each of the calls can meet. */
export function pointsOf(found: readonly Call[]): readonly FaultPoint[] {
  return found.flatMap(({ name, number }) =>
    (faultsOf[name] ?? []).flatMap((fault) =>
      (fault === "KILL" ? [false] : [false, true]).map((fromThenOn) => ({
        call: name,
        number,
        fault,
        fromThenOn,
      })),
    ),
  );
}
