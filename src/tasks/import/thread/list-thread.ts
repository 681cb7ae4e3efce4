// The program of the thread that reads a long list: it does one job and answers with one message.
import { parentPort, workerData } from "node:worker_threads";
import { RalphError } from "../../../base/errors.ts";
import { doListJob, type ListRequest } from "./list-jobs.ts";
import type { ListAnswer } from "./run-in-thread.ts";

function answer(request: ListRequest): ListAnswer {
  try {
    return { returned: doListJob(request) };
  } catch (error) {
    // Anything else is a bug: it ends the thread and is thrown where the answer is awaited.
    if (!(error instanceof RalphError)) throw error;
    const { code, message, hint } = error;
    return { refused: { code, message, hint } };
  }
}

parentPort?.postMessage(answer(workerData as ListRequest));
