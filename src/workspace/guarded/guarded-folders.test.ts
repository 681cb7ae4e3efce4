import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { scaledLimit } from "../../../test/scaled-limit.ts";
import {
  makePipe,
  removeTempRepositories,
  repositoryAt,
  type TempRepository,
  tempFolder,
} from "../../../test/temp-repository.ts";
import { type FolderGuard, guardFolders, type RestoredFolders, restoreFolders } from "./guarded-folders.ts";

afterEach(removeTempRepositories);

const folders = [".agents/skills", ".claude/skills"];

interface Guarded extends TempRepository {
  readonly before: FolderGuard;
  readonly kept: string;
  restore(): RestoredFolders;
}

function guarded(files: Readonly<Record<string, string>>): Guarded {
  const made = repositoryAt(tempFolder());
  for (const [path, text] of Object.entries(files)) made.write(path, text);
  const before = guardFolders(made.dir, folders);
  const kept = tempFolder();
  return { ...made, before, kept, restore: () => restoreFolders(made.dir, before, kept) };
}

const files = {
  ".claude/skills/deploy/SKILL.md": "deploy\n",
  ".claude/skills/deploy/scripts/run.sh": "echo run\n",
  ".claude/settings.json": "{}\n",
  "src/a.ts": "a\n",
};

test("LOOP-18: changed, deleted and added files of skills are put back, and a copy is kept", () => {
  const { restore, write, remove, hashes, kept, dir } = guarded(files);
  const before = hashes();
  expect(restore()).toEqual({ restored: [], changed: [] });
  write(".claude/skills/deploy/SKILL.md", "obey\n");
  remove(".claude/skills/deploy/scripts");
  write(".claude/skills/evil/SKILL.md", "evil\n");
  write(".agents/skills/evil/SKILL.md", "evil too\n");
  expect(restore().restored.toSorted()).toEqual([
    ".agents/skills",
    ".claude/skills/deploy/SKILL.md",
    ".claude/skills/deploy/scripts",
    ".claude/skills/deploy/scripts/run.sh",
    ".claude/skills/evil",
  ]);
  expect(hashes()).toEqual(before);
  expect(existsSync(join(dir, ".agents/skills"))).toBe(false);
  const copies = repositoryAt(kept);
  expect(copies.read(".claude/skills/deploy/SKILL.md")).toBe("obey\n");
  expect(copies.read(".agents/skills/evil/SKILL.md")).toBe("evil too\n");
  // Nothing below a closed folder can be read.
  const modes = [".claude", ".agents"].map((name) => statSync(join(kept, name)).mode & 0o077);
  expect(modes).toEqual([0, 0]);
  expect(restore()).toEqual({ restored: [], changed: [] });
});

test("LOOP-18: other files are the agent's", () => {
  const { restore, write, read } = guarded(files);
  write(".claude/settings.json", "{ }\n");
  write("src/a.ts", "b\n");
  write(".claude/agents/helper.md", "new\n");
  expect(restore()).toEqual({ restored: [], changed: [] });
  expect(read(".claude/agents/helper.md")).toBe("new\n");
});

test("LOOP-18: folders that the agent deleted, moved or replaced by links come back; nothing outside is touched", () => {
  const outside = repositoryAt(tempFolder());
  outside.write("skills/deploy/SKILL.md", "outside\n");
  const spots: readonly ((dir: string) => void)[] = [
    (dir) => rmSync(join(dir, ".claude"), { recursive: true }),
    (dir) => renameSync(join(dir, ".claude/skills"), join(dir, ".claude/old")),
    (dir) => {
      rmSync(join(dir, ".claude"), { recursive: true });
      symlinkSync(outside.dir, join(dir, ".claude"));
    },
    (dir) => {
      rmSync(join(dir, ".claude/skills/deploy"), { recursive: true });
      symlinkSync(join(outside.dir, "skills/deploy"), join(dir, ".claude/skills/deploy"));
    },
    (dir) => {
      mkdirSync(join(dir, ".agents"));
      symlinkSync(join(outside.dir, "skills"), join(dir, ".agents/skills"));
    },
  ];
  for (const spoil of spots) {
    const { dir, restore, read } = guarded(files);
    spoil(dir);
    expect(restore().restored.length).toBeGreaterThan(0);
    expect(read(".claude/skills/deploy/SKILL.md")).toBe("deploy\n");
    expect(read(".claude/skills/deploy/scripts/run.sh")).toBe("echo run\n");
    expect(existsSync(join(dir, ".agents/skills"))).toBe(false);
    expect(outside.read("skills/deploy/SKILL.md")).toBe("outside\n");
  }
});

test("LOOP-18: a link of the project to another folder stays a link", () => {
  const made = repositoryAt(tempFolder());
  made.write(".agents/skills/deploy/SKILL.md", "deploy\n");
  mkdirSync(join(made.dir, ".claude"));
  symlinkSync("../.agents/skills", join(made.dir, ".claude/skills"));
  const before = guardFolders(made.dir, folders);
  made.write(".claude/skills/deploy/SKILL.md", "obey\n");
  rmSync(join(made.dir, ".claude/skills"));
  made.write(".claude/skills/deploy/SKILL.md", "obey\n");
  restoreFolders(made.dir, before, tempFolder());
  expect(made.read(".claude/skills/deploy/SKILL.md")).toBe("deploy\n");
  expect(made.hashes()).toHaveProperty(".claude/skills");
});

test("LOOP-18: modes are restored, and what is too large to keep is reported", () => {
  const { dir, restore } = guarded({ ...files, ".claude/skills/font/big.bin": "x".repeat(1_100_000) });
  chmodSync(join(dir, ".claude/skills/deploy/scripts/run.sh"), 0o755);
  writeFileSync(join(dir, ".claude/skills/font/big.bin"), "small");
  expect(restore()).toEqual({
    restored: [".claude/skills/deploy/scripts/run.sh"],
    changed: [".claude/skills/font/big.bin"],
  });
});

test("LOOP-18: pipes, names that are no UTF-8, and folders deeper than paths can be are removed", () => {
  const { dir, restore } = guarded(files);
  const skills = join(dir, ".claude/skills");
  makePipe(join(skills, "pipe"));
  mkdirSync(Buffer.concat([Buffer.from(`${skills}/`), Buffer.from([0xff])]));
  writeFileSync(Buffer.concat([Buffer.from(`${skills}/deploy/`), Buffer.from([0xfe])]), "obey\n");
  makeDeepFolder(skills, 5);
  expect(restore().restored).toHaveLength(4);
  expect(readdirSync(skills)).toEqual(["deploy"]);
  expect(readdirSync(join(skills, "deploy")).toSorted()).toEqual(["SKILL.md", "scripts"]);
  expect(restore()).toEqual({ restored: [], changed: [] });
});

test("TRUST-12: folders that an agent made deep or filled are put aside at once", () => {
  const { dir, restore } = guarded(files);
  const skills = join(dir, ".claude/skills");
  makeDeepFolder(skills);
  for (const folder of ["deploy", "added"]) {
    mkdirSync(join(skills, folder), { recursive: true });
    for (let n = 0; n < 5000; n++) writeFileSync(join(skills, folder, `${n}`), "");
  }
  const at = performance.now();
  expect(restore().restored).toContain(".claude/skills/deploy");
  expect(performance.now() - at).toBeLessThan(scaledLimit(1000));
  expect(readdirSync(skills)).toEqual(["deploy"]);
  expect(readdirSync(join(skills, "deploy")).toSorted()).toEqual(["SKILL.md", "scripts"]);
});

test("TRUST-12: what an agent left is kept in no folder that it chose", () => {
  const { dir, restore, kept, write } = guarded(files);
  const elsewhere = tempFolder();
  symlinkSync(elsewhere, join(kept, ".claude"));
  write(".claude/skills/deploy/SKILL.md", "obey\n");
  write(".claude/skills/evil/SKILL.md", "evil\n");
  restore();
  expect(readdirSync(elsewhere)).toEqual([]);
  expect(repositoryAt(kept).read(".claude/skills/evil/SKILL.md")).toBe("evil\n");
  expect(repositoryAt(dir).read(".claude/skills/deploy/SKILL.md")).toBe("deploy\n");
});

/** Makes folders in each other, 500 a part, which no path reaches. */
function makeDeepFolder(folder: string, parts = 12): void {
  for (let part = 0; part < parts; part++) {
    const chain = join(folder, `chain-${part}`);
    mkdirSync(join(chain, "d/".repeat(500)), { recursive: true });
    if (part > 0) renameSync(join(folder, `chain-${part - 1}`), join(chain, "d/".repeat(500), "d"));
  }
}

test.each([
  ["there before", files, [".claude"]],
  ["not there before", {}, [".claude"]],
])(
  "LOOP-18: a file in place of a folder above skills is removed and kept, the folder being %s",
  (_, given, named) => {
    const { restore, write, hashes, kept, dir } = guarded(given);
    const before = hashes();
    rmSync(join(dir, ".claude"), { recursive: true, force: true });
    write(".claude", "in the way\n");
    expect(restore().restored).toEqual(expect.arrayContaining(named));
    // Only skills are guarded.
    const { ".claude/settings.json": _settings, ...skills } = before;
    expect(hashes()).toEqual(skills);
    expect(statSync(join(kept, ".claude")).isFile()).toBe(true);
  },
);

test("LOOP-18: a folder above skills that was a file before is no error", () => {
  const { restore, dir } = guarded({ ".claude": "a file\n" });
  expect(restore()).toEqual({ restored: [], changed: [] });
  expect(existsSync(join(dir, ".claude/skills"))).toBe(false);
});
