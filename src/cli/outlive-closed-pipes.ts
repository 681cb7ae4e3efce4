/** A pipe whose reader left, a terminal whose window was closed. */
const closed: ReadonlySet<string | undefined> = new Set(["EPIPE", "EIO"]);

/** `ralph log | head` closes our stdout: the rest of the output is not wanted, the work goes on. */
export function outliveClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (!closed.has(error.code)) throw error;
    });
  }
}
