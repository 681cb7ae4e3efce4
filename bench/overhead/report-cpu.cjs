// Loaded before ralph itself: at the end of `ralph run` adds the CPU milliseconds of its own process to BENCH_CPU_FILE.
const { appendFileSync } = require("node:fs");
const file = process.env.BENCH_CPU_FILE;
if (file && /ralph\.js$/.test(process.argv[1] ?? "") && process.argv[2] === "run") {
  process.on("exit", () => {
    const { user, system } = process.cpuUsage();
    appendFileSync(file, `${(user + system) / 1000}\n`);
  });
}
