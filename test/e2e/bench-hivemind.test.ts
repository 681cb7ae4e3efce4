import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runBenchmark } from "./run-benchmark.ts";

const words = [
  "ledger export dates",
  "toolbar button shadow",
  "parser quoted newline",
  "socket retry timeout",
];

test("HIVE-1 HIVE-6: the benchmark of foreign memory builds prompts without and with other projects' documents", () => {
  const folder = mkdtempSync(join(tmpdir(), "ralph-sets-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "gitbugs"));
  const write = (file: string, lines: readonly object[]): void =>
    writeFileSync(join(folder, "gitbugs", file), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const documents = ["red", "blue"].flatMap((scope) =>
    words.map((title, n) => ({
      ...{
        id: `${scope}-${n}`,
        scope,
        title: `Crash in the ${title} of ${scope}`,
        text: `About the ${title}.`,
      },
      created_at: `2026-01-0${n + 1}T00:00:00Z`,
    })),
  );
  write("docs.jsonl", documents);
  write("queries.jsonl", [
    {
      ...{ id: "q-1", scope: "red", title: "Crash in the toolbar button shadow again", text: "" },
      created_at: "2026-02-01T00:00:00Z",
    },
  ]);
  write("qrels.jsonl", [{ query: "q-1", doc: "red-1", grade: 1 }]);
  writeFileSync(
    join(folder, "gitbugs", "meta.json"),
    JSON.stringify({ eligibility: "doc.scope==query.scope and doc.created_at < query.created_at" }),
  );
  const printed = runBenchmark("bench/hivemind.ts", folder);
  // The title of the other project's document is the same: it is shown, behind the own.
  expect(printed).toContain(
    "gitbugs: own R@3 in 1 prompts 1.000 alone, 1.000 beside foreign memory; foreign noise in 1 (1.000)",
  );
});
