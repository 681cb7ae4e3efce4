// Writes one line of as many megabytes as its argument says, then a last word on a line of its own.
const block = Buffer.alloc(1024 * 1024, "y");
for (let written = 0; written < Number(process.argv[2]); written++) {
  if (!process.stdout.write(block)) await new Promise((resolve) => process.stdout.once("drain", resolve));
}
process.stdout.write("\nend of the line\n");
