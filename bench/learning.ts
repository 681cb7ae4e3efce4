// npm run bench:learning -- DIR [--json] [--short]: how many attempts a task takes whose lesson an earlier task taught: with
// memory, without, and with the first design's way of finding. DIR as bench/learning/README.md tells.
import { join, resolve } from "node:path";
import { readFolder } from "./learning/read-folder.ts";
import { type Mode, runMode } from "./learning/run-mode.ts";

const args = process.argv.slice(2);
const json = args.includes("--json");
// --short: fewer attempts at what is never solved.
const maxAttempts = args.includes("--short") ? 3 : 5;
const folder = readFolder(
  resolve(args.find((arg) => !arg.startsWith("-")) ?? join(import.meta.dirname, "learning/sample")),
);

const modes: readonly (readonly [Mode, string])[] = [
  ["memory", "with memory"],
  ["overlap", "with the first design's tag overlap"],
  ["none", "without learnings"],
];

const results = [];
for (const [mode, name] of modes)
  results.push({ mode, name, ...(await runMode(folder, { mode, maxAttempts })) });

if (json) console.log(JSON.stringify(results));
else {
  const { families, noise, misleading } = folder;
  const tasks = families.reduce((sum, family) => sum + family.tasks.length, 0);
  console.log(
    [
      `${families.length} families, ${tasks} tasks, ${noise.length} unrelated and ${misleading.length} misleading learnings`,
      "",
      "| | attempts per task after the family's first | solved at once | never solved | attempts at first tasks |",
      "|---|---|---|---|---|",
      ...results.map(
        ({ name, later, firstTasks }) =>
          `| ${name} | ${later.attempts.toFixed(2)} | ${(100 * later.atOnce).toFixed(0)}% | ${(100 * later.never).toFixed(0)}% | ${firstTasks.toFixed(2)} |`,
      ),
    ].join("\n"),
  );
}
