// Preloaded into ralph: writes down each time in which a signal waited for its listener, in milliseconds, one per line.
const { appendFileSync } = require("node:fs");

const file = process.env.RALPH_TEST_SIGNAL_WAITS;
let last = performance.now();
let listens = false;
const turn = () => {
  const now = performance.now();
  if (file !== undefined && listens) appendFileSync(file, `${Math.round(now - last)}\n`);
  last = now;
  listens = process.listenerCount("SIGINT") > 0;
};
const ifSigint = (name) => {
  if (name === "SIGINT") turn();
};
process.on("newListener", ifSigint);
process.on("removeListener", ifSigint);
process.on("exit", turn);
setInterval(turn, 10).unref();
