import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { memorySetup } from "../../../test/memory-setup.ts";
import { sampleTask } from "../../../test/sample-prompt.ts";
import { openTempStore } from "../../../test/temp-store.ts";
import type { EventInput } from "../../events/event.ts";
import type { Db } from "../../store/port/db.ts";
import { createTask } from "../../tasks/graph/task-store.ts";
import { openMemory } from "../memory.ts";
import type { Journals } from "../port/journal.ts";
import type { Recalled } from "../port/memory-kind.ts";
import { openJournals } from "./journals.ts";

const now = new Date("2026-03-01T10:00:00.000Z");
let db: Db;
let base: string;
let root: string;
let published: EventInput[];

beforeEach(async () => {
  db = await openTempStore();
  base = mkdtempSync(join(tmpdir(), "ralph-journal-"));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  root = join(base, "project");
  mkdirSync(root);
  published = [];
});

const settings = (change: string | null = null) => ({
  root,
  base: join(base, "state"),
  folder: join(base, "state/ralph/project-1"),
  change,
});
const journals = (change: string | null = null): Journals => openJournals(db, settings(change));
const memory = (enabled = true) =>
  openMemory({
    ...memorySetup,
    log: { publish: (event) => void published.push(event) },
    db,
    enabled,
    root,
    journal: settings(),
  });
const recall = async (): Promise<Recalled | undefined> => {
  const task = sampleTask();
  const all = await memory().recall({ task, attempt: 1, runId: "run-1", iteration: 1, seed: "seed-1" });
  return all.find(({ section }) => section === "journal");
};
const mode = (path: string) => statSync(path).mode & 0o777;
const source = (path: string) => ({ format: "markdown" as const, path, hash: "x", key: "1" });

test("JOURNAL-1 JOURNAL-2: it is created once with a guiding comment, for the owner only, and never overwritten", async () => {
  const journal = journals().named("Add Login!");
  expect(journal.path).toMatch(/\/state\/ralph\/project-1\/add-login-[0-9a-f]{8}-learnings\.md$/);
  await journals().create(journal);
  const comment = readFileSync(journal.path, "utf8");
  expect(comment).toMatch(/^<!--[\s\S]*discoveries[\s\S]*decisions[\s\S]*gotchas[\s\S]*-->\n$/);
  expect([mode(journal.folder), mode(journal.path)]).toEqual([0o700, 0o600]);
  appendFileSync(journal.path, "\nThe API wants UTC.\n");
  chmodSync(journal.path, 0o644);
  chmodSync(journal.folder, 0o755);
  await Promise.all(Array.from({ length: 5 }, () => journals().create(journal)));
  expect(readFileSync(journal.path, "utf8")).toBe(`${comment}\nThe API wants UTC.\n`);
  expect([mode(journal.folder), mode(journal.path)]).toEqual([0o700, 0o600]);
});

test("JOURNAL-1 JOURNAL-4: the change is the user's, else the OpenSpec change of the task or of what it was split from, else the only one", async () => {
  const nameOf = async (...[task, change]: Parameters<typeof changeOf>) => changeOf(task, change);
  const changeOf = async (task: Parameters<Journals["of"]>[0], change: string | null = null) =>
    (await journals(change).of(task)).change;
  const plain = sampleTask();
  expect(await nameOf(plain)).toBe("default");
  mkdirSync(join(root, "openspec/changes/archive/2026-01-01-old"), { recursive: true });
  mkdirSync(join(root, "openspec/changes/add-login"));
  expect([await nameOf(plain), await nameOf(null)]).toEqual(["add-login", "add-login"]);
  mkdirSync(join(root, "openspec/changes/add-search"));
  expect(await nameOf(plain)).toBe("default");
  const listed = { id: "s-1", title: "Search", source: source("openspec/changes/add-search/tasks.md") };
  await db.transaction((tx) => createTask(tx, listed, now));
  expect(await nameOf(sampleTask({ source: listed.source }))).toBe("add-search");
  expect(await nameOf(sampleTask({ parentId: "s-1" }))).toBe("add-search");
  expect(await nameOf(sampleTask({ parentId: "s-1" }), "mine")).toBe("mine");
  const [a, b] = [journals().named("add-login"), journals().named("add-search")];
  expect(a.path).not.toBe(b.path);
});

test("JOURNAL-1 TRUST-3: a folder of OpenSpec that appears during a run diverts no later journal", async () => {
  const opened = memory();
  const task = sampleTask();
  const before = await opened.journalOf(task);
  mkdirSync(join(root, "openspec/changes/planted"), { recursive: true });
  expect(before?.change).toBe("default");
  expect(await opened.journalOf(task)).toEqual(before);
  // The next run begins with it, as a person sees it.
  expect((await memory().journalOf(task))?.change).toBe("planted");
});

test("JOURNAL-2: a planted link, hard link, folder or instruction file is refused, reported once, and nothing behind it is read or changed", async () => {
  const journal = journals().named("default");
  const secret = join(base, "secret.txt");
  const reset = () => {
    rmSync(join(base, "state"), { recursive: true, force: true });
    rmSync(join(base, "elsewhere"), { recursive: true, force: true });
    writeFileSync(secret, "the secret\n");
    mkdirSync(journal.folder, { recursive: true });
  };
  const plants: Readonly<Record<string, () => void>> = {
    link: () => symlinkSync(secret, journal.path),
    "dangling link": () => symlinkSync(join(base, "elsewhere"), journal.path),
    "hard link": () => linkSync(secret, journal.path),
    folder: () => mkdirSync(journal.path),
    "linked folder": () => {
      rmSync(journal.folder, { recursive: true });
      mkdirSync(join(base, "elsewhere"));
      symlinkSync(join(base, "elsewhere"), journal.folder);
    },
    "linked parent": () => {
      rmSync(join(base, "state/ralph"), { recursive: true });
      mkdirSync(join(base, "elsewhere/project-1"), { recursive: true });
      symlinkSync(join(base, "elsewhere"), join(base, "state/ralph"));
    },
    "file as the folder": () => {
      rmSync(journal.folder, { recursive: true });
      writeFileSync(journal.folder, "x");
    },
    "folder of skills": () => mkdirSync(join(journal.folder, ".claude/skills"), { recursive: true }),
    instructions: () => writeFileSync(join(journal.folder, "CLAUDE.md"), "obey"),
  };
  for (const [what, plant] of Object.entries(plants)) {
    reset();
    plant();
    published = [];
    const opened = memory();
    const task = sampleTask();
    expect([what, await opened.journalOf(task), await opened.journalOf(task)]).toEqual([what, null, null]);
    expect([what, await opened.createJournal(journal)]).toEqual([what, null]);
    expect([what, await recall()]).toEqual([what, undefined]);
    await expect(journals().create(journal), what).rejects.toMatchObject({
      code: expect.stringMatching(/^RALPH_(PATH_SYMLINK|PATH_NOT_A_FILE|JOURNAL_FOLDER)$/),
      hint: expect.stringMatching(/\S/),
    });
    expect([what, readFileSync(secret, "utf8"), existsSync(join(base, "elsewhere/project-1/x"))]).toEqual([
      what,
      "the secret\n",
      false,
    ]);
    expect(published.map(({ type, data }) => [what, type, data?.["kind"], data?.["step"]])).toEqual([
      [what, "memory.failed", "journal", "open"],
      [what, "memory.failed", "journal", "create"],
    ]);
  }
});

test("TRUST-12 JOURNAL-2: of a journal that an agent made huge, only the end is read", async () => {
  const opened = journals();
  const journal = opened.named("default");
  await opened.create(journal);
  truncateSync(journal.path, 20 * 1024 ** 3);
  appendFileSync(journal.path, "\nthe end\n");
  const read = opened.read(journal);
  expect(read?.text.trim()).toBe("the end");
  expect(read?.isWhole).toBe(false);
});

test("JOURNAL-2: a folder inside the project is refused: words in it would count as work", async () => {
  const inside = openJournals(db, { root, base: root, folder: join(root, "notes"), change: null });
  await expect(inside.create(inside.named("x"))).rejects.toMatchObject({ code: "RALPH_JOURNAL_INSIDE" });
  expect(existsSync(join(root, "notes"))).toBe(false);
});

test("JOURNAL-4: with memory off, agents have no journal", async () => {
  expect(await memory(false).journalOf(sampleTask())).toBeNull();
  expect(await memory().journalOf(sampleTask())).toEqual(journals().named("default"));
  expect(published).toEqual([]);
});
