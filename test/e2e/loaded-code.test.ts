import { statSync } from "node:fs";
import { basename } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loadedFiles } from "./loaded-files.ts";
import { practice } from "./practice.ts";

/** Most of a short command's time is the compilation of what it loads: about a third of a millisecond for 10 KB. */
const maximumKB: Readonly<Record<string, number>> = {
  "--version": 200,
  status: 100,
  "task list": 760,
  "memory list": 930,
  "memory find zones": 990,
};

test("a short command loads only its own part of ralph", async () => {
  const made = practice();
  onTestFinished(() => made.remove());
  await made.ralph("memory", "store", "The zones are cached in memory, not on disk.");
  // The first one remembers what a later one need not read.
  await loadedFiles(made, ["status"]);
  const sizes: [string, number][] = [];
  for (const command of Object.keys(maximumKB)) {
    const { stdout, files } = await loadedFiles(made, command.split(" "));
    expect([command, stdout.length > 0]).toEqual([command, true]);
    const own = files.filter((file) => file.endsWith(".cjs") && file.includes("/dist/"));
    sizes.push([command, own.reduce((sum, file) => sum + statSync(file).size, 0) / 1000]);
    if (!command.startsWith("memory")) continue;
    const names = own.map((file) => basename(file).replace(/-.*/, ""));
    expect(names.filter((name) => ["memory", "beside"].includes(name))).toEqual([]);
  }
  expect(sizes.filter(([command, size]) => size > (maximumKB[command] ?? 0))).toEqual([]);
});
