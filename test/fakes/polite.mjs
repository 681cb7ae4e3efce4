// Answers the signal that stops it by its name and exit code 0, as Claude Code answers SIGINT. Says "ready" first.
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => process.stdout.write(`${signal}\n`, () => process.exit(0)));
}
setInterval(() => {}, 1000);
process.stdout.write("ready\n");
