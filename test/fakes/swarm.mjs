#!/usr/bin/env node
// A small `swarm`: the command line and the JSON of the real one, with one file of memories for each folder, as it has.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";

const [group, verb, ...args] = process.argv.slice(2);
appendFileSync("calls.jsonl", `${JSON.stringify(process.argv.slice(2))}\n`);
if (existsSync("hang")) {
  process.on("SIGTERM", () => undefined);
  setInterval(() => undefined, 1000);
  await new Promise(() => undefined);
}
if (existsSync("broken")) {
  process.stderr.write("TypeError: undefined is not a function\n");
  process.exit(1);
}
const memories = existsSync("memories.json") ? JSON.parse(readFileSync("memories.json", "utf8")) : [];
const option = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
const [first = ""] = args[0]?.startsWith("--") ? [] : args;
const say = (answer, code = 0) => {
  process.stderr.write("warning: no model\n");
  process.stdout.write(`${JSON.stringify(answer)}\n`);
  process.exit(code);
};
const words = (text) => text.toLowerCase().match(/[a-z0-9]+/g) ?? [];

if (group !== "memory") say({ success: false, error: `unknown ${group}` }, 1);
if (verb === "store") {
  const stored = readFileSync("calls.jsonl", "utf8").split('"store"').length - 1;
  const id = `mem-${String(stored).padStart(16, "0")}`;
  const tags = option("--tags")?.split(",") ?? [];
  const createdAt = new Date().toISOString();
  memories.push({
    id,
    content: first,
    metadata: { tags },
    collection: "default",
    createdAt,
    confidence: 0.7,
  });
  writeFileSync("memories.json", JSON.stringify(memories));
  say({ success: true, id });
}
if (verb === "find") {
  const results = memories
    .map((memory) => ({
      memory,
      score: words(first).filter((word) => words(memory.content).includes(word)).length / 10,
      matchType: "vector",
    }))
    .toSorted((a, b) => b.score - a.score)
    .slice(0, Number(option("--limit") ?? 10));
  say({ success: true, results });
}
const found = memories.find(({ id }) => id === first);
if (verb === "get")
  found ? say({ success: true, memory: found }) : say({ success: false, error: "Memory not found" }, 1);
if (verb === "remove") {
  writeFileSync("memories.json", JSON.stringify(memories.filter(({ id }) => id !== first)));
  say({ success: true });
}
if (verb === "validate")
  found ? say({ success: true }) : say({ success: false, error: `Memory not found: ${first}` }, 1);
if (verb === "stats") say({ success: true, stats: { memories: memories.length, embeddings: 0 } });
say({ success: false, error: `unknown ${verb}` }, 1);
