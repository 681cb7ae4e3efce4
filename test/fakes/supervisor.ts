import type { IsolationLevel } from "../../src/process/isolation-probe.ts";
import { runProcess } from "../../src/process/run-process.ts";

// Supervises the program in its arguments, so that a test can kill a supervisor outright. Says what the program says.
const [isolation, marker, program = "", ...args] = process.argv.slice(2);
await runProcess({
  argv: [program, ...args],
  cwd: process.cwd(),
  env: { PATH: process.env["PATH"] ?? "" },
  marker: marker ?? null,
  isolation: isolation as IsolationLevel,
  timeoutMs: null,
  idleTimeoutMs: null,
  signal: new AbortController().signal,
  onStdout: (chunk) => process.stdout.write(chunk),
});
