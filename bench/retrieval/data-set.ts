import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { DocumentSource, SearchDocument } from "../../src/search/document.ts";
import { type SearchQuery, textQuery } from "../../src/search/query.ts";

export interface BenchQuery {
  readonly id: string;
  readonly query: SearchQuery;
  readonly scope: string;
  /** ISO 8601; "" where the set has no times. */
  readonly createdAt: string;
  /** Ids of the documents that answer it; all grades count alike but for nDCG. */
  readonly relevant: ReadonlyMap<string, number>;
  /** The relation of the task to its lesson, its language, and how its words differ; "" in the public sets. */
  readonly kind: string;
  readonly lang: string;
  readonly form: string;
}

/** One folder in the layout of the public sets: `docs.jsonl`, `queries.jsonl`, `qrels.jsonl`, `meta.json`. */
export interface DataSet {
  readonly name: string;
  /** In the order of their creation. */
  readonly documents: readonly SearchDocument[];
  readonly queries: readonly BenchQuery[];
  /** Queries of the kind `none`: no document answers them. */
  readonly unanswered: readonly BenchQuery[];
  /** A query sees its own scope only. */
  readonly scoped: boolean;
  /** A query sees only what was created before it. */
  readonly timed: boolean;
}

interface Line {
  readonly [field: string]: unknown;
}

export function dataSets(folder: string, only?: string): readonly DataSet[] {
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, "queries.jsonl")));
  if (only !== undefined && !names.includes(only)) {
    throw new Error(`no set ${only} in ${folder}: there are ${names.join(", ")}`);
  }
  const wanted = (name: string): boolean => (only === undefined ? !isHeldOut(folder, name) : name === only);
  return names.filter(wanted).map((name) => readSet(folder, name));
}

const readMeta = (folder: string, name: string): Line =>
  JSON.parse(readFileSync(join(folder, name, "meta.json"), "utf8")) as Line;

/** A set that is opened only by its name, so that nobody tunes on it by accident. */
function isHeldOut(folder: string, name: string): boolean {
  return String(readMeta(folder, name)["half"]).startsWith("held-out");
}

function readSet(folder: string, name: string): DataSet {
  const lines = (file: string): readonly Line[] =>
    readFileSync(join(folder, name, file), "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Line);
  const eligibility = String(readMeta(folder, name)["eligibility"] ?? "");
  const relevant = new Map<string, Map<string, number>>();
  for (const line of lines("qrels.jsonl")) {
    const docs = relevant.get(String(line["query"])) ?? new Map<string, number>();
    docs.set(String(line["doc"]), Number(line["grade"] ?? 1));
    relevant.set(String(line["query"]), docs);
  }
  const queries = lines("queries.jsonl").map((line) => queryOf(line, relevant));
  return {
    name,
    documents: lines("docs.jsonl").map(documentOf).toSorted(byTime),
    queries: queries.filter((query) => query.relevant.size > 0).toSorted(byTime),
    unanswered: queries.filter(({ kind }) => kind === "none"),
    scoped: /scope/.test(eligibility),
    timed: /created_at *</.test(eligibility),
  };
}

const text = (line: Line, field: string): string => String(line[field] ?? "");

function queryOf(line: Line, relevant: ReadonlyMap<string, ReadonlyMap<string, number>>): BenchQuery {
  const id = text(line, "id");
  return {
    id,
    query: { ...textQuery(text(line, "title")), description: text(line, "text") },
    scope: text(line, "scope"),
    createdAt: utc(text(line, "created_at")),
    relevant: relevant.get(id) ?? new Map(),
    kind: text(line, "kind"),
    lang: text(line, "lang"),
    form: text(line, "form"),
  };
}

function documentOf(line: Line): SearchDocument {
  const files = line["files"];
  return {
    kind: "bench",
    id: text(line, "id"),
    scope: text(line, "scope"),
    title: text(line, "title"),
    body: [text(line, "text"), text(line, "learning")].filter(Boolean).join("\n"),
    tags: [],
    files: Array.isArray(files) ? files.map(String) : [],
    errorSignature: null,
    taskId: null,
    createdAt: utc(text(line, "created_at")),
  };
}

const utc = (time: string): string => (time === "" || /(?:Z|[+-]\d\d:\d\d)$/.test(time) ? time : `${time}Z`);

function byTime(a: { createdAt: string; id: string }, b: { createdAt: string; id: string }): number {
  return a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0;
}

/**
 * The set with the texts beside each document as what it came up at, where ids number the turns of a conversation:
 * `D1:3` has `D1:2` and `D1:4` beside it. Undefined where none has any.
 */
export function withNeighbours(set: DataSet): DataSet | undefined {
  const bodies = new Map(set.documents.map(({ id, body }) => [id, body]));
  const documents = set.documents.map((document) => {
    const [, talk = "", turn = ""] = /^(.*:)(\d+)$/.exec(document.id) ?? [];
    const beside = [-1, 1].flatMap((step) => bodies.get(`${talk}${Number(turn) + step}`) ?? []);
    return { ...document, context: beside.join("\n") };
  });
  return documents.some(({ context }) => context !== "") ? { ...set, documents } : undefined;
}

/** The set's documents as a memory kind would hold them. */
export function sourceOf(documents: readonly SearchDocument[]): DocumentSource {
  const byId = new Map(documents.map((document) => [document.id, document]));
  return {
    kind: "bench",
    read: async (_, ids) => ids.flatMap((id) => byId.get(id) ?? []),
    count: async () => documents.length,
    readAll: async function* () {
      yield documents;
    },
  };
}
