import { clip } from "../../src/base/text.ts";
import type { SearchDocument } from "../../src/search/document.ts";
import type { BenchQuery, DataSet } from "../retrieval/data-set.ts";
import { randomFrom } from "../retrieval/texts.ts";

/** A store of a given size, with the tasks whose answers it holds and tasks of other projects. */
export interface BenchStore {
  readonly set: string;
  readonly documents: readonly SearchDocument[];
  readonly tasks: readonly BenchQuery[];
  readonly foreign: readonly BenchQuery[];
}

export interface StoreOptions {
  /** Documents per store. */
  readonly size: number;
  /** Tasks per set, over all stores of this size. */
  readonly tasks: number;
  /** Tasks of other projects per store. */
  readonly foreign: number;
  /** Only tasks that have a description, and foreign ones that have. */
  readonly described: boolean;
  readonly seed: number;
}

/** The share of a store's documents that may answer one of its tasks. */
const maxAnswers = 0.33;
/** The length of a typical learning's lesson, in characters. */
const lessonChars = 200;

/**
 * Draws stores from a set until each of its tasks, up to `tasks`, is in one. A store holds the answers of its tasks and
 * random documents of the same project, where that has enough. Foreign tasks are of sets without a common document.
 */
export function drawStores(
  set: DataSet,
  others: readonly DataSet[],
  { size, tasks, foreign, described, seed }: StoreOptions,
): readonly BenchStore[] {
  const random = randomFrom(seed);
  const isUsable = ({ query }: BenchQuery): boolean => !described || query.description.trim() !== "";
  const strange = foreignTasks(set, others).map((queries) => shuffled(queries.filter(isUsable), random));
  const stores: BenchStore[] = [];
  for (const [documents, queries] of projectsOf(set, size)) {
    const pending = shuffled(queries.filter(isUsable), random);
    const share = Math.ceil((tasks * pending.length) / set.queries.filter(isUsable).length);
    for (const group of packed(pending.slice(0, share), Math.max(1, Math.floor(size * maxAnswers)))) {
      const chosen = drawDocuments(documents, group, { size, random });
      stores.push({
        set: set.name,
        documents: chosen,
        tasks: group,
        foreign: taken(strange, foreign, stores.length),
      });
    }
  }
  return stores;
}

/** Returns the set's documents and queries by scope; scopes with too few documents for a store together. */
function projectsOf(
  { documents, queries, scoped }: DataSet,
  size: number,
): readonly (readonly [readonly SearchDocument[], readonly BenchQuery[]])[] {
  if (!scoped) return [[documents, queries]];
  const byScope = new Map<string, SearchDocument[]>();
  for (const document of documents) {
    byScope.set(document.scope, [...(byScope.get(document.scope) ?? []), document]);
  }
  const isLarge = (scope: string): boolean => (byScope.get(scope)?.length ?? 0) >= size;
  const large = [...byScope.keys()].filter(isLarge);
  const rest = queries.filter(({ scope }) => !isLarge(scope));
  return [
    ...large.map(
      (scope) => [byScope.get(scope) ?? [], queries.filter((one) => one.scope === scope)] as const,
    ),
    ...(rest.length > 0 ? [[documents, rest] as const] : []),
  ];
}

/** Groups tasks so that each group has at most `max` answers. */
function packed(tasks: readonly BenchQuery[], max: number): readonly (readonly BenchQuery[])[] {
  const groups: BenchQuery[][] = [];
  let answers = new Set<string>();
  for (const task of tasks) {
    const relevant = new Map([...task.relevant].slice(0, max));
    const together = new Set([...answers, ...relevant.keys()]);
    const group = groups.at(-1);
    if (group && together.size <= max) {
      group.push({ ...task, relevant });
      answers = together;
    } else {
      groups.push([{ ...task, relevant }]);
      answers = new Set(relevant.keys());
    }
  }
  return groups;
}

function drawDocuments(
  documents: readonly SearchDocument[],
  tasks: readonly BenchQuery[],
  { size, random }: { readonly size: number; readonly random: () => number },
): readonly SearchDocument[] {
  const answers = new Set(tasks.flatMap(({ relevant }) => [...relevant.keys()]));
  const own = new Set(tasks.map(({ id }) => id));
  const needed = documents.filter(({ id }) => answers.has(id));
  const others = shuffled(
    documents.filter(({ id }) => !answers.has(id) && !own.has(id)),
    random,
  );
  const chosen = [...needed, ...others.slice(0, Math.max(0, size - needed.length))];
  return chosen.map((document) => ({ ...document, scope: "" }));
}

/** Returns the queries of each set that has no document in common with `set`. */
function foreignTasks(set: DataSet, others: readonly DataSet[]): readonly (readonly BenchQuery[])[] {
  const ids = new Set(set.documents.map(({ id }) => id));
  return others
    .filter(({ name, documents }) => name !== set.name && !documents.some(({ id }) => ids.has(id)))
    .map(({ queries }) => queries);
}

/** Takes the same number of tasks from each foreign set, other ones for each store. */
function taken(
  sets: readonly (readonly BenchQuery[])[],
  count: number,
  store: number,
): readonly BenchQuery[] {
  const usable = sets.filter(({ length }) => length > 0);
  const tasks: BenchQuery[] = [];
  for (let at = 0; at < count && usable.length > 0; at += 1) {
    const queries = usable[at % usable.length] ?? [];
    const nth = store * Math.ceil(count / usable.length) + Math.floor(at / usable.length);
    const task = queries[nth % queries.length];
    if (task) tasks.push(task);
  }
  return tasks;
}

/** Returns a document as a lesson: its title and first sentences, as far as a typical learning's text reaches. */
export function asLesson(document: SearchDocument): SearchDocument {
  const text = [document.title, document.body].join("\n").replace(/\s+/g, " ").trim();
  const sentences = [document.title, ...document.body.split(/(?<=[.!?])\s+|\n+/)]
    .map((sentence) => sentence.replace(/\s+/g, " ").trim())
    .filter(Boolean);
  let lesson = "";
  for (const sentence of sentences) {
    const longer = lesson === "" ? sentence : `${lesson.replace(/[.:]$/, "")}. ${sentence}`;
    if (longer.length > lessonChars) break;
    lesson = longer;
  }
  return { ...document, title: lesson || clip(text, lessonChars), body: "" };
}

/** Returns the items in random order. */
export function shuffled<T>(items: readonly T[], random: () => number): readonly T[] {
  const result = [...items];
  for (let at = result.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [result[at], result[other]] = [result[other] as T, result[at] as T];
  }
  return result;
}
