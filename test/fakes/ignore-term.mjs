// Deaf to SIGINT, SIGTERM and SIGHUP; only SIGKILL ends it. Says "ready" when it is, or nothing with "silent".
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
setInterval(() => {}, 1000);
if (process.argv[2] !== "silent") process.stdout.write("ready\n");
