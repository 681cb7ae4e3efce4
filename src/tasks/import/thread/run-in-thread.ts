import { RalphError, systemCode } from "../../../base/errors.ts";
import type { ListRequest } from "./list-jobs.ts";

/** A job's result, or the parts of its error: a message between threads keeps no class. */
export type ListAnswer =
  | { readonly returned: unknown }
  | { readonly refused: Pick<RalphError, "code" | "message" | "hint"> };

interface Limits {
  /** The thread's program. */
  readonly program: string;
  readonly maxMs: number;
}

/**
 * Does a job in a thread of its own, which ends with it. Throws the job's error, and RALPH_LIST_TOO_SLOW for a text that
 * takes longer than `maxMs`, or more memory than a thread has.
 */
export async function runInThread(request: ListRequest, { program, maxMs }: Limits): Promise<unknown> {
  const { Worker } = await import("node:worker_threads");
  const thread = new Worker(program, { workerData: request, execArgv: [] });
  const overdue = setTimeout(() => void thread.terminate(), maxMs);
  const [{ path }] = request.given;
  try {
    const answer = await new Promise<ListAnswer>((resolve, reject) => {
      thread.once("message", resolve);
      thread.once("error", (error: unknown) => {
        if (systemCode(error) === "ERR_WORKER_OUT_OF_MEMORY")
          reject(tooSlow(path, "more memory than there is"));
        else reject(error);
      });
      // After an answer or an error this changes nothing.
      thread.once("exit", () => reject(tooSlow(path, `more than ${maxMs / 1000} seconds`)));
    });
    if ("returned" in answer) return answer.returned;
    const { code, message, hint } = answer.refused;
    throw new RalphError(code, message, hint === undefined ? {} : { hint });
  } finally {
    clearTimeout(overdue);
    await thread.terminate();
  }
}

function tooSlow(path: string, what: string): RalphError {
  return new RalphError("RALPH_LIST_TOO_SLOW", `cannot read ${path}: that takes ${what}`, {
    hint: "Split the file.",
  });
}
