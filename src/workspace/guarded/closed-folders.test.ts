import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { removeTempRepositories, repositoryAt, tempFolder } from "../../../test/temp-repository.ts";
import { guardFolders, restoreFolders } from "./guarded-folders.ts";

afterEach(() => {
  process.seteuid?.(0);
  removeTempRepositories();
});

test.runIf(process.getuid?.() === 0)(
  "LOOP-18: folders that an agent closed to its own user are removed",
  () => {
    const { dir, write } = repositoryAt(tempFolder());
    const kept = tempFolder();
    for (const folder of [dir, kept]) chmodSync(folder, 0o777);
    // Root may enter every folder.
    process.seteuid?.(65_534);
    write(".claude/skills/deploy/SKILL.md", "deploy\n");
    const before = guardFolders(dir, [".claude/skills"]);
    for (const name of ["closed", "closed/in", "deploy/closed"]) {
      const folder = join(dir, ".claude/skills", name);
      mkdirSync(folder);
      writeFileSync(join(folder, "SKILL.md"), "obey\n");
    }
    for (const name of ["closed/in", "closed", "deploy/closed"])
      chmodSync(join(dir, ".claude/skills", name), 0);
    restoreFolders(dir, before, kept);
    for (const name of ["closed", "deploy/closed"])
      expect(existsSync(join(dir, ".claude/skills", name))).toBe(false);
  },
);
