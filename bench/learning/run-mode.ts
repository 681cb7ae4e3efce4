import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Practice, practice, ralphBin } from "../../test/e2e/practice.ts";
import type { Family, Folder } from "./read-folder.ts";

export type Mode = "memory" | "overlap" | "none";

const check = `read -r word rest < "src/$1.txt" || exit 1
if [ "$word" = wrong: ]; then
  printf '%s\\n' "$rest" >&2
  exit 1
fi
`;

export interface ModeResult {
  /** Of the tasks that come after their family's first. */
  readonly later: {
    /** The mean; a task that is never solved counts as all its attempts. */
    readonly attempts: number;
    /** Shares, from 0 to 1. */
    readonly atOnce: number;
    readonly never: number;
  };
  /** Mean attempts at the first tasks, which nothing can teach. */
  readonly firstTasks: number;
}

/** Works through the folder's tasks with `ralph run` in a project of its own. */
export async function runMode(
  folder: Folder,
  { mode, maxAttempts }: { readonly mode: Mode; readonly maxAttempts: number },
): Promise<ModeResult> {
  const project = practice({ "check.sh": check, "src/base.txt": "x\n" });
  try {
    await prepare(project, folder, mode);
    const { code, events } = await project.run("--max-attempts", String(maxAttempts));
    if (code !== 0 && code !== 4)
      throw new Error(`ralph run ended with ${code}: ${JSON.stringify(events.at(-1))}`);
    const judged = ["passed", "failed"];
    const broken = events.find(
      ({ type, verification }) => type === "iteration.finished" && !judged.includes(String(verification)),
    );
    if (broken) throw new Error(`the scripted agent failed: ${JSON.stringify(broken)}`);
    const list = (await project.json("task", "list")) as readonly Listed[];
    return summarise(folder, list, maxAttempts);
  } finally {
    project.remove();
  }
}

const idOf = (family: Family, at: number): string => `${family.family}-${at + 1}`;

async function prepare(project: Practice, folder: Folder, mode: Mode): Promise<void> {
  const lessons = join(dirname(project.dir), "lessons.json");
  const misleading = new Map(folder.misleading.map((wrong) => [wrong.family, wrong.text]));
  const tasks = folder.families.flatMap((family) =>
    family.tasks.map((task, at) => [
      idOf(family, at),
      {
        first: at === 0,
        error: family.error,
        tags: task.tags ?? [],
        lesson: family.lesson,
        misleading: misleading.get(family.family) ?? null,
      },
    ]),
  );
  const overlap = mode === "overlap" ? [process.execPath, ralphBin] : null;
  writeFileSync(lessons, JSON.stringify({ overlap, tasks: Object.fromEntries(tasks) }));
  const argv = JSON.stringify([process.execPath, join(import.meta.dirname, "agent.mjs"), lessons]);
  project.write(
    ".ralph/config.yaml",
    `agent: command
agents: { command: { argv: ${argv} } }
memory: { maxLearnings: ${mode === "memory" ? 5 : 0} }
`,
  );
  project.write("tasks.yaml", JSON.stringify({ tasks: tasksOf(folder) }));
  project.write("learnings.jsonl", learningsOf(folder));
  project.git("add", "-A");
  project.git("commit", "-q", "-m", "prepare");
  const steps = [
    ["task", "import", "tasks.yaml"],
    ["memory", "import", "learnings.jsonl", "--approve"],
    ["trust", "approve", "--yes"],
  ];
  for (const step of steps) {
    const { code, stderr } = await project.ralph(...step);
    if (code !== 0) throw new Error(`ralph ${step.join(" ")}: ${stderr}`);
  }
}

/** First the first task of each family, then the second of each, and so on: lessons lie far behind. */
function tasksOf({ families }: Folder): readonly object[] {
  const most = Math.max(...families.map(({ tasks }) => tasks.length));
  return Array.from({ length: most }, (_, at) => at).flatMap((at) =>
    families.flatMap((family) => {
      const task = family.tasks[at];
      if (!task) return [];
      const id = idOf(family, at);
      return [{ id, verification: [`sh check.sh ${id}`], ...task }];
    }),
  );
}

/** As `ralph memory export` writes them, a month old; kept by a person, so that they are noise to the end of the run. */
function learningsOf({ noise, misleading }: Folder): string {
  const created_at = new Date(Date.now() - 30 * 86_400_000).toISOString();
  const lines = [...noise, ...misleading].map(({ text, category, tags }, at) => {
    const id = `l-${at.toString(16).padStart(6, "0")}`;
    const relevance_tags = JSON.stringify(tags ?? []);
    return JSON.stringify({
      learning: { id, category: category ?? "other", content: text, relevance_tags, created_at, pinned: 1 },
    });
  });
  return `${lines.join("\n")}\n`;
}

interface Listed {
  readonly id: string;
  readonly status: string;
  readonly attempts: number;
}

function summarise({ families }: Folder, list: readonly Listed[], maxAttempts: number): ModeResult {
  const byId = new Map(list.map((task) => [task.id, task]));
  const attemptsAt = (family: Family, at: number): number => {
    const task = byId.get(idOf(family, at));
    return task?.status === "done" ? task.attempts : Number.POSITIVE_INFINITY;
  };
  const firsts = families.map((family) => attemptsAt(family, 0));
  const later = families.flatMap((family) =>
    family.tasks.slice(1).map((_, at) => attemptsAt(family, at + 1)),
  );
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + Math.min(value, maxAttempts), 0) / values.length;
  const share = (test: (attempts: number) => boolean): number => later.filter(test).length / later.length;
  return {
    later: {
      attempts: mean(later),
      atOnce: share((attempts) => attempts === 1),
      never: share((attempts) => !Number.isFinite(attempts)),
    },
    firstTasks: mean(firsts),
  };
}
