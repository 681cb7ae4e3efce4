// Writes what it reads, then how many bytes that was.
let bytes = 0;
for await (const chunk of process.stdin) {
  bytes += chunk.length;
  if (process.argv[2] !== "count") process.stdout.write(chunk);
}
process.stdout.write(process.argv[2] === "count" ? `${bytes}\n` : "");
