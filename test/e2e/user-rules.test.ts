import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { variants } from "../test-size.ts";
import { practice } from "./practice.ts";

/** The file below the home, and the setting that names it; undefined: git reads it by itself. */
const places: readonly (readonly [file: string, key: string | undefined])[] = [
  ["config/git/ignore", undefined],
  ["config/git/attributes", undefined],
  [".gitignore_global", "core.excludesFile"],
  [".gitattributes_global", "core.attributesFile"],
];

test.each(variants(places, 1))(
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

test.each(
  variants(
    [
      ["removed", (folder: string) => `rm -r "${folder}"`],
      ["made a pipe", (folder: string) => `rm -r "${folder}"; mkfifo "${folder}"`],
      ["made a file", (folder: string) => `rm -r "${folder}"; echo x > "${folder}"`],
      ["linked to nothing", (folder: string) => `rm -r "${folder}"; ln -s /nothing "${folder}"`],
      ["lost with the one above it", (folder: string) => `rm -r "${folder}/.."; echo x > "${folder}/.."`],
    ],
    2,
  ),
)(
  "LOOP-18: a folder of the user's rules that is %s is put back, and the run continues",
  async (_, plantIn) => {
    const made = practice();
    try {
      const folder = join(made.home, "config/git");
      const plant = plantIn(folder).replaceAll("/config/git/..", "/config");
      await made.useWorker({ "*": [{ run: [["sh", "-c", plant]], write: { "{id}.txt": "x\n" } }] });
      await made.addTasks(["one", "two"]);
      const { code, events, stderr } = await made.run();
      expect([code, stderr]).toEqual([0, ""]);
      expect(JSON.stringify(events)).toContain("put back ~/config/git/ignore");
      expect(readFileSync(join(folder, "ignore"), "utf8")).toBe(".ralph-context.json\n");
    } finally {
      made.remove();
    }
  },
  120_000,
);

test.each(
  variants(
    [
      ["a pipe", (file: string) => `rm ${file}; mkfifo ${file}`],
      ["a link to a pipe", (file: string) => `mkfifo ../pipe; ln -sf "$PWD/../pipe" ${file}`],
    ],
    1,
  ),
)(
  "LOOP-18: %s in place of a file of the work tree that core.excludesFile names is removed",
  async (_, plantAt) => {
    const made = practice({ "README.md": "# practice\n", ".ignored": "*.mine\n" });
    try {
      made.git("config", "core.excludesFile", join(made.dir, ".ignored"));
      const plant = plantAt(".ignored");
      await made.useWorker({ "*": [{ run: [["sh", "-c", plant]], write: { "{id}.txt": "x\n" } }] });
      await made.addTasks(["one", "two"]);
      const { code, events, stderr } = await made.run();
      expect([code, stderr]).toEqual([0, ""]);
      expect(JSON.stringify(events)).toContain("put back .ignored");
    } finally {
      made.remove();
    }
  },
  120_000,
);
