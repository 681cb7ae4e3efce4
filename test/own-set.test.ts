import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { dataSets } from "../bench/retrieval/data-set.ts";

const folder = resolve(import.meta.dirname, "../bench/own");
/** The halves of each author's rows. */
const authors = [
  ["tune", "held-out"],
  ["tune-2", "held-out-2"],
] as const;
/** The sets of the author whose projects are apart. */
const backlogs = ["backlog-chat", "backlog-depot", "backlog-meter", "backlog-shop"] as const;
type Row = Readonly<Record<string, string>>;
const rows = (half: string, file: string): readonly Row[] =>
  readFileSync(join(folder, half, file), "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Row);
/** Rows that have an id by construction. */
const idOf = (row: Row): string => row["id"] ?? "";
/** 0: for work on the search; 1: held out. */
const halfOf = (key: string): number => (createHash("sha256").update(key).digest()[0] ?? 0) % 2;

test("IF-4: each half of the project's own set has its own lessons and tasks, by the hash of their ids", () => {
  for (const [number, half] of authors.flatMap((halves) => [...halves.entries()])) {
    const lessons = rows(half, "docs.jsonl");
    const tasks = rows(half, "queries.jsonl");
    const answers = new Map(rows(half, "qrels.jsonl").map(({ query, doc }) => [query, doc]));
    expect(lessons.length).toBeGreaterThanOrEqual(75);
    expect(tasks.length).toBeGreaterThanOrEqual(150);
    expect(lessons.filter((lesson) => halfOf(idOf(lesson)) !== number)).toEqual([]);
    const ids = new Set(lessons.map(idOf));
    for (const task of tasks) {
      const answer = answers.get(idOf(task));
      expect(task["kind"] === "none").toBe(answer === undefined);
      expect(halfOf(answer ?? idOf(task))).toBe(number);
      if (answer !== undefined) expect(ids).toContain(answer);
    }
  }
});

test("IF-4: the project's own set has enough tasks of each language and enough that no lesson fits", () => {
  const tasks = [...authors.flat(), ...backlogs].flatMap((half) => rows(half, "queries.jsonl"));
  const count = (field: string, value: string): number =>
    tasks.filter((task) => task[field] === value).length;
  expect(count("kind", "none")).toBeGreaterThanOrEqual(60);
  for (const kind of ["paraphrase", "error", "package", "file", "identifier"])
    expect(count("kind", kind)).toBeGreaterThanOrEqual(20);
  for (const lang of ["de", "zh", "ja", "es"]) expect(count("lang", lang)).toBeGreaterThanOrEqual(25);
  const texts = tasks.map((task) => `${task["title"]}\n${task["text"]}`);
  expect(new Set(texts).size).toBe(texts.length);
});

test.each(backlogs)("IF-4: each row of %s fits its kind and its project", (name) => {
  const lessons = rows(name, "docs.jsonl").map(idOf);
  const tasks = rows(name, "queries.jsonl");
  const answers = rows(name, "qrels.jsonl");
  expect(new Set(lessons).size).toBe(lessons.length);
  expect(answers.filter(({ doc }) => !lessons.includes(doc ?? ""))).toEqual([]);
  const answered = new Set(answers.map(({ query }) => query));
  for (const task of tasks) expect(task["kind"] === "none").toBe(!answered.has(idOf(task)));
  expect(tasks.filter(({ kind }) => kind === "none").length).toBeGreaterThanOrEqual(20);
});

test("a held-out set is read only when it is named", () => {
  expect(dataSets(folder).map(({ name }) => name)).toEqual(["tune", "tune-2"]);
  expect(dataSets(folder, "held-out").map(({ name }) => name)).toEqual(["held-out"]);
});
