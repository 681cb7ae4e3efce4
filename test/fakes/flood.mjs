// Writes as many megabytes as its argument says, in lines of 100 bytes, then a last word.
const block = Buffer.from(`${"x".repeat(99)}\n`.repeat(10_486));
for (let written = 0; written < Number(process.argv[2]); written++) {
  if (!process.stdout.write(block)) await new Promise((resolve) => process.stdout.once("drain", resolve));
}
process.stdout.write("end of the flood\n");
