import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { byTool, openLearningActions } from "../../src/memory/learning-actions.ts";
import { openStore } from "../../src/store/open-store.ts";
import { hasScreen, onScreen } from "../on-screen.ts";
import { type Practice, practice } from "./practice.ts";

const lessons = [
  "The importer reads its dates line by line, never whole files.",
  "The mailer drops every second letter on Sundays.",
  "The parser of orders needs a blank line at the end of the file.",
  "The cache of the router is emptied by a restart alone.",
];
let made: Practice;

beforeEach(async () => {
  made = practice();
  await made.ralph("memory", "store", "The greeting must end with a dot, or the release check refuses it.");
  const db = await openStore({ path: join(made.dir, ".ralph/progress.db") });
  for (const [at, text] of lessons.entries()) {
    const now = new Date(Date.now() - 60_000 + at * 1000);
    const about = { category: "pitfall", topic: null, tags: [], files: [], scope: "project" };
    await openLearningActions({ db, root: made.dir, now: () => now }).store({
      ...{ text, ...about, provenance: byTool(null, "claude") },
    });
  }
  await db.close();
});

afterEach(() => made.remove());

interface Listed {
  readonly id: string;
  readonly lesson: string;
  readonly status: string;
  readonly proven: boolean;
}

async function all(): Promise<readonly Listed[]> {
  return (await made.json("memory", "list", "--status", "all")) as readonly Listed[];
}

test("LEARN-12: review lists what is unproven without a terminal; list, get and find show the mark", async () => {
  const { code, stdout, stderr } = await made.ralph("memory", "review");
  expect(code).toBe(0);
  expect(stdout.match(/unproven/g)).toHaveLength(4);
  expect(stdout).not.toContain("greeting");
  expect(stderr).toContain("4 unproven learnings");
  const unproven = (await made.json("memory", "review")) as readonly Listed[];
  expect(unproven.map(({ lesson }) => lesson)).toEqual(lessons.toReversed());
  expect((await all()).filter(({ proven }) => proven)).toHaveLength(1);
  const id = `${unproven[0]?.id}`;
  expect((await made.ralph("memory", "get", id)).stdout).toContain("active (unproven)");
  expect((await made.ralph("memory", "find", "cache router")).stdout).toContain("(unproven)");
  expect((await made.ralph("memory", "approve", id)).code).toBe(0);
  expect((await made.ralph("memory", "approve", id)).stderr).toContain("neither in quarantine nor unproven");
  expect((await made.ralph("memory", "get", id)).stdout).not.toContain("unproven");
  expect((await made.ralph("memory", "review")).stderr).toContain("3 unproven learnings");
});

test("LEARN-12 TRUST-4: a trusted import keeps the mark of what is unproven in the file", async () => {
  const file = join(made.home, "memory.jsonl");
  await made.ralph("memory", "export", file);
  const other = practice();
  try {
    expect((await other.ralph("memory", "import", file, "--approve")).stdout).toContain(
      "imported 5 learnings",
    );
    const listed = (await other.json("memory", "list")) as readonly Listed[];
    expect(listed.filter(({ proven }) => proven).map(({ lesson }) => lesson)).toEqual([
      expect.stringContaining("greeting"),
    ]);
    expect((await other.ralph("memory", "review")).stderr).toContain("4 unproven learnings");
  } finally {
    other.remove();
  }
});

test.skipIf(!hasScreen)(
  "LEARN-12: on a terminal review steps through them: keep, edit, reject, skip, quit",
  async () => {
    const question = /\[q\]uit\? /;
    const { code, screen } = await onScreen(["memory", "review"], made, [
      [question, "k"],
      [question, "x"],
      [question, "e"],
      [/new text: /, "The parser of orders needs a line end."],
      [question, "r"],
      [question, "s"],
    ]);
    expect(code).toBe(0);
    expect(screen).toContain("answer with k, e, r, s or q");
    expect(screen).toContain("kept 1, edited 1, rejected 1");
    const byLesson = new Map((await all()).map((one) => [one.lesson, one]));
    expect(byLesson.get(`${lessons[3]}`)).toMatchObject({ proven: true, status: "active" });
    expect(byLesson.get("The parser of orders needs a line end.")).toMatchObject({ proven: true });
    expect(byLesson.get(`${lessons[1]}`)).toMatchObject({ proven: false, status: "pruned" });
    expect(byLesson.get(`${lessons[0]}`)).toMatchObject({ proven: false, status: "active" });
    const { screen: rest } = await onScreen(["memory", "review"], made, [[question, "q"]]);
    expect(rest).toContain("1 of 1");
    expect(rest).toContain("kept 0, edited 0, rejected 0");
  },
);
