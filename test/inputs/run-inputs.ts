// npm run test:inputs -- DIR: imports real task files and works one through to the end. DIR holds
// claude-watch-tasks.yaml, openspec-tasks.md, snarktank-prd.json, beads-issues.jsonl and ralph-nu-spec.md. Exits 1 when
// anything is not as a reader of the files expects.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { practice } from "../e2e/practice.ts";
import { workThrough } from "./work-through.ts";

const dir = process.argv[2];
if (!dir) {
  process.stderr.write("usage: npm run test:inputs -- DIR\n");
  process.exit(2);
}
let wrong = 0;
function check(what: string, ok: boolean, detail: unknown = ""): void {
  if (!ok) wrong++;
  process.stdout.write(
    `${ok ? "ok  " : "FAIL"} ${what} ${typeof detail === "string" ? detail : JSON.stringify(detail)}\n`,
  );
}

interface Listed {
  readonly id: string;
  readonly status: string;
  readonly priority: number;
  readonly parentId: string | null;
  readonly blockedBy: readonly string[];
}

async function importTwice(file: string): Promise<void> {
  const text = readFileSync(join(dir ?? "", file), "utf8");
  const project = practice({ [file]: text });
  try {
    await project.ralph("init", "--yes");
    const first = await project.ralph("task", "import", file);
    check(`${file} imports`, first.code === 0, first.stderr);
    const once = (await project.json("task", "list")) as Listed[];
    await project.ralph("task", "import", file);
    const twice = (await project.json("task", "list")) as Listed[];
    check(
      `${file} a second time: no duplicates`,
      JSON.stringify(once) === JSON.stringify(twice),
      `${twice.length} tasks`,
    );
    const by = (key: "status" | "priority") =>
      Object.fromEntries(
        once.map((task) => [task[key], once.filter((other) => other[key] === task[key]).length]),
      );
    check(
      `${file} ids are strings`,
      once.every(({ id }) => typeof id === "string"),
      once
        .slice(0, 5)
        .map(({ id }) => id)
        .join(" "),
    );
    check(`${file} statuses`, once.length > 0, by("status"));
    check(`${file} priorities`, once.length > 0, by("priority"));
    check(`${file} children`, true, `${once.filter(({ parentId }) => parentId).length}`);
    const expected = readersCount(file, text);
    check(`${file} tasks`, once.length === expected.tasks, `${once.length} of ${expected.tasks}`);
    const done = once.filter(({ status }) => status === "done").length;
    check(`${file} done`, done === expected.done, `${done} of ${expected.done}`);
    check(
      `${file} every id of the file`,
      expected.ids.every((id) => once.some((task) => task.id === id)),
      `${expected.ids.length}`,
    );
  } finally {
    project.remove();
  }
}

interface Expected {
  readonly tasks: number;
  readonly done: number;
  readonly ids: readonly string[];
}

/** The items that a reader counts in the file, by other means than the importers'. */
function readersCount(file: string, text: string): Expected {
  const times = (pattern: RegExp): number => [...text.matchAll(pattern)].length;
  if (file.endsWith(".yaml")) {
    const ids = [...text.matchAll(/^\s*- id: "?([^"\n]+)"?/gm)].map((match) => match[1] ?? "");
    return { tasks: ids.length, done: times(/^ {4}completed: true/gm), ids };
  }
  if (file.endsWith(".json")) {
    const ids = [...text.matchAll(/^ {6}"id": "([^"]+)"/gm)].map((match) => match[1] ?? "");
    return { tasks: ids.length, done: times(/^ {6}"passes": true/gm), ids };
  }
  if (file.endsWith(".jsonl")) {
    const issues = text
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { id: string; status: string });
    const ids = issues.map(({ id }) => id);
    return { tasks: ids.length, done: issues.filter(({ status }) => status === "closed").length, ids };
  }
  const items = times(/^\s*- \[[ x]\]/gm);
  // The spec's `## Tasks` with five `### ` steps below it; in the OpenSpec list each `## ` is a story.
  const stories = file.includes("spec.md") ? 1 + times(/^### \d+\. /gm) : times(/^## /gm);
  const untickedIn = (part: string): boolean => part.includes("- [ ]");
  const finished = file.includes("spec.md")
    ? 0
    : text
        .split(/^## /m)
        .slice(1)
        .filter((part) => !untickedIn(part)).length;
  return { tasks: items + stories, done: times(/^\s*- \[x\]/gm) + finished, ids: [] };
}

for (const file of [
  "claude-watch-tasks.yaml",
  "openspec-tasks.md",
  "snarktank-prd.json",
  "beads-issues.jsonl",
  "ralph-nu-spec.md",
]) {
  await importTwice(file);
}
const text = readFileSync(join(dir, "openspec-tasks.md"), "utf8").replaceAll("- [x]", "- [ ]");
const result = await workThrough("openspec-tasks.md", text);
try {
  check(
    "the list is worked through",
    result.exitCode === 0,
    `${result.tasks.length} tasks, ${result.worked.length} worked on, ${result.seconds.toFixed(1)} s`,
  );
  check(
    "all tasks are done",
    result.tasks.every(({ status }) => status === "done"),
  );
  check("a commit each", result.uncommitted.length === 0, result.uncommitted);
  check("first attempts that failed", result.failedFirst.length > 5, `${result.failedFirst.length}`);
  check("every retry's prompt holds the true error", result.blindRetries.length === 0, result.blindRetries);
  const ticked = result.project.read("openspec-tasks.md");
  check("the file is ticked and otherwise unchanged", ticked === text.replaceAll("- [ ]", "- [x]"));
} finally {
  result.project.remove();
}
process.exit(wrong === 0 ? 0 : 1);
