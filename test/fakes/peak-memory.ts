import { lineSplitter } from "../../src/process/line-splitter.ts";
import { runProcess } from "../../src/process/run-process.ts";
import { tailBuffer } from "../../src/process/tail-buffer.ts";

// Supervises the program in its arguments as an adapter does and prints by how many megabytes its own resident
// memory rose at most, and what it saw last.
const [program = "", ...args] = process.argv.slice(2);
const rss = (): number => process.memoryUsage.rss() / 1024 / 1024;
const before = rss();
let peak = before;
let lines = 0;
let lastLine = "";
const tail = tailBuffer({ headBytes: 64 * 1024, tailBytes: 1024 * 1024 });
const splitter = lineSplitter({
  maxLineBytes: 8 * 1024 * 1024,
  onLine: ({ text }) => {
    lines++;
    lastLine = text;
  },
});
const result = await runProcess({
  argv: [program, ...args],
  cwd: process.cwd(),
  env: { PATH: "/usr/bin:/bin" },
  marker: null,
  isolation: "process-group",
  timeoutMs: null,
  idleTimeoutMs: null,
  signal: new AbortController().signal,
  onStdout: (chunk) => {
    tail.push(chunk);
    splitter.push(chunk);
    peak = Math.max(peak, rss());
  },
});
splitter.end();
const { exitCode, ended } = result;
process.stdout.write(
  JSON.stringify({
    risen: Math.round(peak - before),
    lines,
    lastLine,
    exitCode,
    ended,
    dropped: tail.dropped(),
  }),
);
