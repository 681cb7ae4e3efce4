import { readlinkSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openToolFiles } from "./tool-files.ts";

// The shell that starts tools is Linux only.
test.runIf(process.platform === "linux")(
  "a tool's files never have a name, which a kill would leave behind",
  () => {
    const files = openToolFiles("in");
    try {
      for (const path of [files.stdin, files.stdout, files.stderr])
        expect(readlinkSync(path)).toMatch(/\/#\d+ \(deleted\)$/);
      writeFileSync(files.stdout, "out", { flag: "r+" });
      writeFileSync(files.stderr, "wrong", { flag: "r+" });
      expect(files.size()).toBe(8);
      expect(files.read(4)).toEqual({ stdout: "out", stderr: "wron" });
    } finally {
      files.close();
    }
  },
);
