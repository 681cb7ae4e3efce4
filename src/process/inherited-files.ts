import { closeSync, openSync, readdirSync } from "node:fs";
import { devNull } from "node:os";
import { messageOf } from "../base/errors.ts";
import { readProc } from "./process-table.ts";

/** A program's files by their descriptors: a number is one of this process; what is ignored above 2 stays inherited. */
type Stdio = ("ignore" | "pipe" | number)[];

const closeOnExec = 0o2000000;
/** Each number up to the highest costs memory at a start. More is above the default limit of Linux. */
const maxDescriptor = 2 ** 20;

/**
 * Starts a program that inherits no file that was open in the shell from which this process started: `start` gets the files
 * `own` and the null device in place of all others. In this process they stay open: by one, the shell may hold a lock. They
 * are looked up for each start, which takes less than a millisecond; Node and SQLite open their own files close-on-exec.
 * `start` spawns before it first waits. A text is the reason why the program could not start. Linux only.
 */
export async function withoutInherited<T>(
  own: Readonly<Stdio>,
  start: (files: Stdio) => Promise<T | string>,
): Promise<T | string> {
  const inherited = inheritedDescriptors();
  if (typeof inherited === "string") return inherited;
  const numbers = inherited.filter((number) => number >= own.length);
  if (numbers.length === 0) return await start([...own]);
  const last = Math.max(...numbers);
  if (last > maxDescriptor) return withHint("its number is too high", numbers);
  const nothing = openNothing();
  if (typeof nothing === "string") return nothing;
  const files: Stdio = [...own];
  while (files.length <= last) files.push("ignore");
  for (const number of numbers) files[number] = nothing;
  const started = start(files);
  closeSync(nothing);
  const result = await started;
  // Above the highest number, the start needs one more descriptor for each of them.
  return typeof result === "string" && /EINVAL|EMFILE/.test(result) ? withHint(result, numbers) : result;
}

function withHint(why: string, numbers: readonly number[]): string {
  return `the sandbox cannot close a file that was open where ralph was started (descriptor ${numbers.join(", ")}): ${why}; start ralph without it`;
}

function openNothing(): number | string {
  try {
    return openSync(devNull, "r");
  } catch (error) {
    return messageOf(error);
  }
}

function inheritedDescriptors(): readonly number[] | string {
  try {
    return readdirSync("/proc/self/fdinfo").map(Number).filter(isInherited);
  } catch (error) {
    return messageOf(error);
  }
}

/** False for a descriptor that is closed by now, as the one by which the folder was read. */
function isInherited(number: number): boolean {
  const info = readProc(process.pid, `fdinfo/${number}`)?.toString("latin1");
  if (info === undefined) return false;
  const flags = /^flags:\s*([0-7]+)$/m.exec(info)?.[1];
  return flags === undefined || (Number.parseInt(flags, 8) & closeOnExec) === 0;
}
