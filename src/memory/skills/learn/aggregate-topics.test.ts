import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { storeRecords } from "../../../../test/sample-records.ts";
import { glassRecords, skillProject } from "../../../../test/skill-project.ts";
import { listTopics } from "../store/skill-store.ts";

const glass = "Use .glassEffect() for Liquid Glass, not .background(.thinMaterial).";
const reworded = "For Liquid Glass use .glassEffect(), not .background(.thinMaterial)";

test("SKILL-1: the evidence of a topic is one file, which is written again only for new evidence", async () => {
  const { db, learn, file } = await skillProject();
  await storeRecords(db, glassRecords);
  expect(await learn()).toMatchObject({ topics: 1, patterns: 3, entries: 4, changed: 1, written: 1 });
  const [text, { mtimeMs }] = [await readFile(file("ios26"), "utf8"), await stat(file("ios26"))];
  expect(text).toContain(
    [
      "  - id: p-2caf9795",
      '    pattern: "Use .glassEffect() not .background(.thinMaterial)"',
      "    count: 1",
      '    tasks: ["UX13"]',
      "    verified: 1",
      '    last_seen: "2026-03-01T10:00:00.000Z"',
      "    learnings: []",
      "anti_patterns:",
      "  - id: p-03913e9a",
      '    pattern: "Used .background(.ultraThinMaterial), which is deprecated"',
      '    lesson: "Use .glassEffect() for iOS 26+"',
      `    error: "error: 'ultraThinMaterial' was deprecated in iOS 26.0"`,
    ].join("\n"),
  );
  const again = await learn({ now: new Date("2026-04-01T00:00:00.000Z") });
  expect(again).toMatchObject({ changed: 0, written: 0, patterns: 3, proposals: [] });
  expect(await stat(file("ios26"))).toMatchObject({ mtimeMs });
  await rm(file("ios26"));
  expect(await learn()).toMatchObject({ changed: 0, written: 1 });
  expect(await readFile(file("ios26"), "utf8")).toBe(text);
});

test("SKILL-1: wordings of one lesson are one pattern with its attempts, tasks and verified attempts", async () => {
  const { db, learn, file } = await skillProject();
  const failed = { task: "c", successes: [glass], verified: false, category: "iOS26" };
  await storeRecords(db, [
    { task: "a", successes: [glass, reworded] },
    { task: "b", successes: [reworded] },
    failed,
  ]);
  expect(await learn()).toMatchObject({ topics: 1, patterns: 1, entries: 4 });
  const text = await readFile(file("ios26"), "utf8");
  expect(text).toContain('count: 3\n    tasks: ["a", "b", "c"]\n    verified: 2\n');
});

test("SKILL-1: topics with hostile names write nothing outside the project's folder", async () => {
  const { db, learn, root } = await skillProject();
  const names = [
    "../../evil",
    "/etc/passwd",
    "..",
    ".",
    "a/../../b",
    "CON",
    "nul\0l",
    "\u202e😀",
    "C++",
    "C#",
    "c",
    "C:\\x",
  ];
  const categories = [
    ...names,
    `${"x".repeat(300)}`,
    "~/.ssh/authorized_keys",
    "\n---\nname: x",
    "$(touch evil)",
  ];
  await storeRecords(
    db,
    categories.map((category, at) => ({ task: `t-${at}`, category, successes: [glass] })),
  );
  await learn();
  expect(await readdir(root)).toEqual([".ralph"]);
  const files = await readdir(join(root, ".ralph/learnings/aggregated"));
  expect(await readdir(join(root, ".ralph/learnings"))).toEqual(["aggregated"]);
  expect(files.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*\.yaml$/.test(name) || name.length > 64)).toEqual(
    [],
  );
  const topics = await listTopics(db);
  expect(new Set(topics.map(({ slug }) => slug)).size).toBe(topics.length);
  expect(files).toHaveLength(topics.length);
  expect(topics.map(({ slug }) => slug)).toEqual(
    expect.arrayContaining(["c", "c-2", "c-3", "etc-passwd", "evil"]),
  );
});

test("SKILL-1: a link in place of the folder or a file is not followed", async () => {
  const { db, learn, root, file } = await skillProject();
  await storeRecords(db, glassRecords);
  const elsewhere = join(root, "elsewhere");
  await writeFile(elsewhere, "mine");
  await mkdir(join(root, ".ralph/learnings/aggregated"), { recursive: true });
  await symlink(elsewhere, file("ios26"));
  await expect(learn()).rejects.toThrow(/symbolic link/);
  expect(await readFile(elsewhere, "utf8")).toBe("mine");
});

test("SKILL-1: a topic without evidence loses its file", async () => {
  const { db, learn, file } = await skillProject();
  await storeRecords(db, [
    ...glassRecords,
    { task: "x", category: "sql", successes: ["Use bind parameters"] },
  ]);
  await learn();
  await db.transaction((tx) => tx.run("DELETE FROM learning_record_entries WHERE category = 'sql'"));
  expect(await learn()).toMatchObject({ topics: 1 });
  expect((await listTopics(db)).map(({ slug }) => slug)).toEqual(["ios26"]);
  await expect(stat(file("sql"))).rejects.toThrow("ENOENT");
});
