import { readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/longest-first.ts";

export default defineConfig({
  plugins: [
    {
      name: "markdown-as-text",
      enforce: "pre",
      load(id: string): string | undefined {
        if (!id.endsWith(".md")) return undefined;
        return `export default ${JSON.stringify(readFileSync(id, "utf8"))};`;
      },
    },
  ],
  test: {
    globalSetup: ["test/hermetic.ts"],
    setupFiles: ["test/fixed-seed.ts"],
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    // Otherwise the page and the report that tests make have an empty style.
    css: { include: [/page\.css/] },
    testTimeout: 180_000,
    hookTimeout: 180_000,
    pool: "forks",
    // More than twice the cores of a small machine: half of the time, a test waits for a time limit or for a process.
    maxWorkers: 5,
    sequence: { sequencer: LongestFirst },
    // Loading Node, vitest and the modules for each of 200 files took a tenth of the time.
    isolate: false,
    // Processes, signals and time limits meet a busy machine. A test that needed its second try is marked `retry x1`: trace it.
    retry: 1,
  },
});
