// Talks for ever, a line each 20 ms, and gets nowhere.
setInterval(() => process.stdout.write("still working\n"), 20);
