#!/usr/bin/env node
/** The program; null if a file of it is missing or cannot be read, which is reported: exit code 5. Anything else is a bug. */
function load() {
  try {
    return require("../dist/start.cjs");
  } catch (error) {
    if (typeof error?.code !== "string") throw error;
    const [reason] = error.message.split("\n");
    const hint =
      error.code === "MODULE_NOT_FOUND"
        ? "install ralph again; in its repository, run `npm ci && npm run build`"
        : "check the disk's health and `ulimit -n`, then run the same command again";
    process.stderr.write(`error: ralph cannot open its own files: ${reason}\nhint: ${hint}\n`);
    process.exitCode = 5;
    return null;
  }
}

load()
  ?.start(process.argv.slice(2))
  .then((code) => {
    process.exitCode = code;
  });
