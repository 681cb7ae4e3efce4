import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { practice } from "./practice.ts";

/** The file below the home, and the setting that names it; undefined: git reads it by itself. */
const places: readonly (readonly [file: string, key: string | undefined])[] = [
  ["config/git/ignore", undefined],
  ["config/git/attributes", undefined],
  [".gitignore_global", "core.excludesFile"],
  [".gitattributes_global", "core.attributesFile"],
];

test.each(places)(
  "LOOP-18: a pipe in place of the user's ~/%s is put back and named, and no git waits for it",
  async (file, key) => {
    const made = practice();
    try {
      const path = join(made.home, file);
      writeFileSync(path, "*.mine\n");
      if (key !== undefined) execFileSync("git", ["config", "--global", key, `~/${file}`], { env: made.env });
      const plant = `rm -f "${path}"; mkfifo "${path}"`;
      await made.useWorker({ "*": [{ run: [["sh", "-c", plant]], write: { "{id}.txt": "x\n" } }] });
      await made.addTasks(["one", "two"]);
      const { code, events, stderr } = await made.run();
      expect([code, stderr]).toEqual([0, ""]);
      expect(JSON.stringify(events)).toContain(`put back ~/${file}`);
      expect(readFileSync(path, "utf8")).toBe("*.mine\n");
    } finally {
      made.remove();
    }
  },
  120_000,
);
