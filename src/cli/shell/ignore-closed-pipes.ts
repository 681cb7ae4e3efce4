/** The reader of the pipe has exited, or the terminal was closed. */
const closed: ReadonlySet<string | undefined> = new Set(["EPIPE", "EIO"]);
const full: ReadonlySet<string | undefined> = new Set(["ENOSPC", "EDQUOT"]);

/**
 * Keeps this process alive when its output cannot be written. `ralph log | head` closes stdout: the remaining output is
 * dropped and the command continues. Output lost on a full disk is reported once, and by exit code 5.
 */
export function ignoreClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    let isFull = false;
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (closed.has(error.code) || isFull) return;
      if (!full.has(error.code)) throw error;
      isFull = true;
      process.on("exit", (code) => {
        if (code !== 2 && code !== 70) process.exitCode = 5;
      });
      if (stream === process.stderr) return;
      process.stderr.write(
        "error: cannot write the output: the disk is full\nhint: free some space and run the command again\n",
      );
    });
  }
}
