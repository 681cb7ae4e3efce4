import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Practice, practice } from "../e2e/practice.ts";
import { type Answer, commandProcess } from "../e2e/query.ts";

/** ralph with a further memory kind, added as docs/adding/memory-kind.md says and built: nothing in it is replaced. */
let tree = "";
let project: Practice;
let runId = "";
/** A build takes seconds; on a machine under load, minutes. */
const maxSetupMs = 300_000;
const maxTestMs = 180_000;

const section = '  { name: "ideas", about: "ideas of agents", maxChars: 600, after: "learnings" },\n';
const entry = `  {
    counted: "ideas",
    label: "idea",
    count: async (q) => (await import("./ideas/read-ideas.ts")).countIdeas(q),
    load: async () => (await import("./ideas/idea-kind.ts")).ideaKind,
    find: async () => (await import("./ideas/find-ideas.ts")).findIdeas,
    documents: async () => (await import("./ideas/idea-source.ts")).ideaSource,
  },
`;

/** Inserts `text` before the first `mark` behind `after` of a source file. */
function insert(
  file: string,
  text: string,
  { after, mark }: Readonly<Record<"after" | "mark", string>>,
): void {
  const path = join(tree, file);
  const source = readFileSync(path, "utf8");
  const at = source.indexOf(mark, source.indexOf(after));
  expect([file, source.includes(after) && at > 0]).toEqual([file, true]);
  writeFileSync(path, source.slice(0, at) + text + source.slice(at));
}

beforeAll(() => {
  const root = resolve(import.meta.dirname, "../..");
  tree = mkdtempSync(join(tmpdir(), "ralph-kind-"));
  for (const part of ["bin", "scripts", "src", "package.json", "package-lock.json"])
    cpSync(join(root, part), join(tree, part), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(tree, "node_modules"));
  // 1: the folder. 2: the entry in the list, its section and its events. 3: the migration, a part of the schema with its line, and the number. Then the sigil.
  cpSync(join(import.meta.dirname, "ideas"), join(tree, "src/memory/ideas"), { recursive: true });
  insert("src/memory/kinds.ts", entry, { after: "const memoryKinds", mark: "];\n" });
  insert("src/memory/port/kind-sections.ts", section, { after: "const kindSections", mark: "];\n" });
  insert("src/base/shared-settings.ts", '  "idea.purged",\n  "idea.written",\n', {
    after: "const eventTypes",
    mark: "] as const",
  });
  cpSync(join(import.meta.dirname, "ideas/ideas-migration.ts"), join(tree, "src/store/migrations/ideas.ts"));
  rmSync(join(tree, "src/memory/ideas/ideas-migration.ts"));
  const schemas = "src/store/migrations/schemas.ts";
  insert(schemas, 'import { ideasSchema } from "./ideas.ts";\n', {
    after: "import {",
    mark: "import { learningsSchema",
  });
  insert(schemas, "ideasSchema, ", { after: "  parts: [", mark: "learningsSchema" });
  const versions = join(tree, "src/store/sqlite/schema-version.ts");
  writeFileSync(versions, readFileSync(versions, "utf8").replace(/version: \d+,/, "version: 1000,"));
  insert("src/sigils/read/sigil-names.ts", '  "idea",\n', { after: "const sigilNames", mark: "] as const" });
  insert("src/outcome/outcome.ts", "  readonly ideas: readonly string[];\n", {
    after: "interface MemorySigils",
    mark: "}\n",
  });
  insert("src/outcome/read-claims.ts", '    ideas: each("idea", readText),\n', {
    after: "function readMemorySigils",
    mark: "  };\n",
  });
  execFileSync(process.execPath, ["scripts/build.mjs"], { cwd: tree, stdio: "inherit" });
}, maxSetupMs);

afterAll(() => {
  project?.remove();
  rmSync(tree, { recursive: true, force: true });
});

let built: ReturnType<typeof commandProcess> | undefined;

/** Runs the command line in a process that serves all of this file. */
function ralph(...args: string[]): Promise<Answer> {
  built ??= commandProcess(join(tree, "dist/main.cjs"));
  return built.ask(args, project, true);
}

async function json<T = Readonly<Record<string, unknown>>>(...args: string[]): Promise<T> {
  const { stdout, stderr } = await ralph(...args, "--json");
  expect([args, stdout, stderr]).toEqual([args, expect.stringMatching(/^[[{]/), expect.anything()]);
  return JSON.parse(stdout) as T;
}

interface StoredIdea {
  readonly id: string;
  readonly text: string;
  readonly times_shown: number;
  readonly archived_at: string | null;
}

/** Opens the project's store without ralph. */
function store(): InstanceType<typeof DatabaseSync> {
  return new DatabaseSync(join(project.dir, ".ralph/progress.db"));
}

/** Reads the ideas, oldest first. */
function ideas(): readonly StoredIdea[] {
  const database = store();
  const rows = database.prepare("SELECT * FROM ideas ORDER BY created_at, text").all();
  database.close();
  return rows as unknown as readonly StoredIdea[];
}

const idea = (text: string): string => `<idea>${text}</idea>\n`;
const say = (text: string): string => `${text}\n\n<task-done>{id}</task-done>`;

test(
  "a further memory kind needs a folder, a line and a migration: a run captures, shows, reports and maintains it",
  async () => {
    project = practice({ "check.sh": "" });
    const script = {
      prompts: "../home/prompts",
      "t-1": [
        { write: { "a.txt": "1" }, say: say(idea("Cache the parsed zones.") + idea("Draw the queue.")) },
      ],
      "t-2": [{ write: { "b.txt": "1" }, say: say(idea("Cache the parsed zones.")) }],
    };
    await project.useWorker(script, 'verify: ["sh check.sh"]\n');
    project.write("tasks.yaml", 'tasks:\n  - { id: "t-1", title: Parse }\n  - { id: "t-2", title: Queue }\n');
    await ralph("task", "import", "tasks.yaml");
    await ralph("memory", "store", "The zones are cached in memory, not on disk.");
    const run = await ralph("run");
    expect([run.code, run.stdout]).toEqual([0, expect.stringMatching(/learned +3 ideas/)]);
    runId = `${/run-[0-9a-f]+/.exec(run.stdout)?.[0]}`;
    const [first, second] = ["t-1", "t-2"].map((id) => project.read(`../home/prompts/${id}-1.txt`));
    expect(first).toContain("\n- `<idea>…</idea>`\n");
    expect(first).not.toContain("### Ideas");
    expect(second).toContain("### Ideas\n\n- Cache the parsed zones.\n- Draw the queue.\n");
    // Maintenance at the end of the run archived the idea that repeats an older one.
    expect(ideas().map((one) => [one.text, one.times_shown, one.archived_at !== null])).toEqual([
      ["Cache the parsed zones.", 1, false],
      ["Draw the queue.", 1, false],
      ["Cache the parsed zones.", 0, true],
    ]);
  },
  maxTestMs,
);

test(
  "a further memory kind is in status, stats, find and context",
  async () => {
    expect(await json("status")).toMatchObject({ memory: { learnings: 1, notes: 0, ideas: 2 } });
    expect((await ralph("status")).stdout).toMatch(/^memory +1 learning, 0 failure reports, 2 ideas$/m);
    expect(await json("memory", "stats")).toMatchObject({ memories: 1, failureReports: 0, ideas: 3 });
    const { results } = await json<{ results: { memory: { id: string } }[] }>(
      "memory",
      "find",
      "zones cached",
    );
    expect(results.map(({ memory }) => memory.id.split("-")[0]).toSorted()).toEqual(["idea", "l"]);
    const context = await json<{ sections: { name: string }[] }>("context", "t-1");
    expect(context.sections.map(({ name }) => name)).toContain("ideas");
  },
  maxTestMs,
);

test(
  "a further memory kind survives doctor --repair, which rebuilds the index",
  async () => {
    const before = ideas();
    const database = store();
    database.exec("DELETE FROM retrieval_documents");
    database.close();
    expect((await ralph("doctor")).stdout).toMatch(/memory index .*incomplete/);
    expect((await ralph("doctor", "--repair")).stdout).toContain("memory index: 1 learning, 2 ideas");
    expect(ideas()).toEqual(before);
  },
  maxTestMs,
);

test(
  "a further memory kind is purged by run, and the index keeps all other kinds",
  async () => {
    const [learning] = (await json<{ id: string }[]>("memory", "list")).map(({ id }) => id);
    expect(await json("memory", "purge", `${learning}`, "--yes")).toMatchObject({
      purged: [learning],
      ideas: [],
    });
    expect((await ralph("doctor")).stdout).toMatch(/memory index +2 ideas indexed/);
    const purged = await ralph("memory", "purge", "--run", runId, "--yes");
    expect(purged.stdout).toMatch(
      /^purged 0 learnings, 0 failure reports, 0 notes, 0 hivemind records, 0 skill uses, 2 records, 0 skill proposals, 3 ideas; 0 restored$/m,
    );
    expect(ideas()).toEqual([]);
  },
  maxTestMs,
);
