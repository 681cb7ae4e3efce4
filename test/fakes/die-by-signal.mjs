// Dies by the signal named in its argument.
process.stdout.write("about to die\n", () => process.kill(process.pid, process.argv[2]));
setInterval(() => {}, 1000);
