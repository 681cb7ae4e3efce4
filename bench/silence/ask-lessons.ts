import type { SearchDocument } from "../../src/search/document.ts";
import type { BenchQuery, DataSet } from "../retrieval/data-set.ts";
import { randomFrom } from "../retrieval/texts.ts";
import { type Asked, askDocuments } from "./ask-stores.ts";
import { shuffled } from "./draw-stores.ts";

/** The answer to a task of a set of lessons, with what the set says about the task. */
export interface AskedLesson extends Asked {
  readonly task: BenchQuery;
}

/** Asks all lessons of a set, as titles in one store, for its tasks and for those that none of them fits. */
export async function* askLessons(set: DataSet): AsyncGenerator<AskedLesson> {
  const lessons = set.documents.map(asTitle);
  const tasks = [
    ...set.queries.map((task) => ({ task, foreign: false })),
    ...set.unanswered.map((task) => ({ task, foreign: true })),
  ];
  yield* askEach(set, lessons, tasks);
}

/** Stores of which one in so many lessons is left out, and stores of one in so many lessons. */
const parts = { out: 5, kept: 3 };
/** Tasks of each public set. */
const foreignTasks = 60;

/**
 * Yields the tasks that the weights are fitted on, beside `askLessons`: the same store, asked for tasks of public sets; stores without some
 * lessons, asked for the tasks that these fitted; and small stores, asked for all tasks.
 */
export async function* askLessonsToFit(
  set: DataSet,
  others: readonly DataSet[],
  seed: number,
): AsyncGenerator<Asked> {
  const lessons = set.documents.map(asTitle);
  const random = randomFrom(seed);
  const strange = others.flatMap(({ queries }) =>
    shuffled(queries, random).slice(0, foreignTasks).flatMap(withAndWithoutDescription),
  );
  yield* askLessons(set);
  yield* askEach(
    set,
    lessons,
    strange.map((task) => ({ task, foreign: true })),
  );
  const order = shuffled(lessons, random);
  for (let part = 0; part < parts.out; part += 1) {
    const kept = order.filter((_, at) => at % parts.out !== part);
    yield* askEach(
      set,
      kept,
      tasksFor(set, kept).filter(({ foreign }) => foreign),
    );
  }
  for (let part = 0; part < parts.kept; part += 1) {
    const kept = order.filter((_, at) => at % parts.kept === part);
    yield* askEach(set, kept, [
      ...tasksFor(set, kept),
      ...set.unanswered.map((task) => ({ task, foreign: true })),
    ]);
  }
}

async function* askEach(
  { name }: DataSet,
  lessons: readonly SearchDocument[],
  tasks: readonly { readonly task: BenchQuery; readonly foreign: boolean }[],
): AsyncGenerator<AskedLesson> {
  for (const described of [true, false]) {
    const chosen = tasks.filter(({ task }) => (task.query.description !== "") === described);
    const labels = { size: lessons.length, lessons: true, described, set: name, written: true };
    let at = 0;
    for await (const one of askDocuments(lessons, chosen, labels)) {
      const { task } = chosen[at] ?? {};
      at += 1;
      if (task) yield { ...one, task };
    }
  }
}

/** The tasks of a set, foreign to those of its lessons that are kept when they fit none of these. */
function tasksFor(
  set: DataSet,
  kept: readonly SearchDocument[],
): readonly { readonly task: BenchQuery; readonly foreign: boolean }[] {
  const ids = new Set(kept.map(({ id }) => id));
  return set.queries.map((task) => ({
    task,
    foreign: ![...task.relevant.keys()].some((id) => ids.has(id)),
  }));
}

function withAndWithoutDescription(task: BenchQuery): readonly BenchQuery[] {
  const bare = { ...task, query: { ...task.query, description: "" } };
  return task.query.description === "" ? [task] : [task, bare];
}

/** A lesson as a learning has it: its text is the title, and what says when it applies the body. */
function asTitle(document: SearchDocument): SearchDocument {
  return { ...document, title: document.body, body: document.title };
}
