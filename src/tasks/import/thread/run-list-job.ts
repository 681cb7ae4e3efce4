import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { systemCode } from "../../../base/errors.ts";
import type { ListText } from "../../graph/task.ts";
import { doListJob, type ListJobs, type ListRequest } from "./list-jobs.ts";
import { runInThread } from "./run-in-thread.ts";

/** Characters of the texts. The worst of this length takes a second at most, and a list of 300 tasks a tenth of it. */
const maxHere = 50_000;
/** A list of 10,000 tasks takes two seconds. */
const maxThreadMs = 30_000;

type Given<J extends keyof ListJobs> = Parameters<ListJobs[J]>;

/**
 * Does a job with the text of a list. That of a long one is done in a thread, so that signals and heartbeats do not wait for
 * it, and is given up when it takes too long (TRUST-12). Throws the job's errors and RALPH_LIST_TOO_SLOW.
 */
export async function runListJob<J extends keyof ListJobs>(
  job: J,
  ...given: Given<J>
): Promise<ReturnType<ListJobs[J]>> {
  const program = lengthOf(given) > maxHere ? threadProgram() : undefined;
  const request = { job, given };
  const returned = program === undefined ? doListJob(request) : await besideLoop(request, program);
  return returned as ReturnType<ListJobs[J]>;
}

/** Does a job in a thread, or here where the system allows no further one: signals then wait, but the work goes on. */
async function besideLoop(request: ListRequest, program: string): Promise<unknown> {
  try {
    return await runInThread(request, { program, maxMs: maxThreadMs });
  } catch (error) {
    if (!noThread.has(systemCode(error) ?? "")) throw error;
    return doListJob(request);
  }
}

/** The codes of a thread that did not begin: no room for it, or too many open files. */
const noThread: ReadonlySet<string> = new Set(["ERR_WORKER_INIT_FAILED", "EMFILE", "ENFILE"]);

function lengthOf([{ text }, more]: readonly [ListText, unknown?]): number {
  const former = (more as { readonly former?: string } | undefined)?.former ?? "";
  return text.length + former.length;
}

/** Returns undefined where ralph runs from source, as in the tests of one room. */
function threadProgram(): string | undefined {
  const file = fileURLToPath(new URL("./list-thread.cjs", import.meta.url));
  return existsSync(file) ? file : undefined;
}
