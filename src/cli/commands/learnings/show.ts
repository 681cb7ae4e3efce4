import { joinSafe, type SafeText, safe } from "../../../base/safe-text.ts";
import { wrapLine } from "../../../base/text.ts";
import { type Evidence, readEvidence } from "../../../memory/port/skill-evidence.ts";
import { openRecordActions, type RecordView } from "../../../memory/record-actions.ts";
import { storedJson, storedLine, storedText } from "../../../trust/stored-text.ts";
import { requireKnown } from "../../project/require-run.ts";
import { type CommandSpec, type Session, withProject } from "../../shell/command.ts";
import { noteCount, positiveInteger } from "../../shell/io.ts";

/** `ralph learnings show` (LEARN-3). */
export const command: CommandSpec = {
  description:
    "Shows the record of each judged attempt, newest first: what worked, what failed, what was discovered, the context that the agent missed and the skills that it wished for. To correct a lesson, use `ralph memory`.",
  examples: [
    "ralph learnings show",
    "ralph learnings show t-3fa9c1",
    "ralph learnings show --limit 100 --json",
  ],
  arguments: [{ name: "[task]", description: "only records of this task" }],
  options: [
    { flags: "--run <id>", description: "only records of this run" },
    { flags: "--limit <n>", description: "maximum number of records (default: 20)" },
  ],
  run: async (session, { args, options }) => {
    const [task, runId] = [args["task"], options["run"]].map((value) =>
      typeof value === "string" ? value : null,
    );
    const filter = { ...(task ? { task } : {}), ...(runId ? { runId } : {}) };
    const limit = positiveInteger(options["limit"], "--limit") ?? 20;
    return withProject(session, {}, async (project) => {
      const actions = openRecordActions({ db: project.db, now: () => session.clock.now() });
      const { db } = project;
      const records = await actions.list({ ...filter, limit });
      if (records.length === 0) await requireKnown(db, { task, runId });
      if (session.json) {
        session.out(storedJson(records.map(toJson)));
        return;
      }
      for (const record of records) session.out(joinSafe(renderRecord(session, record), "\n"));
      noteCount(session, { shown: records.length, total: await actions.count(filter), what: safe`record` });
      if (task === null && runId === null) noteTopics(session, await readEvidence(db));
    });
  },
};

const maxTopics = 10;

function noteTopics(session: Session, evidence: readonly Evidence[]): void {
  const counts = new Map<string, number>();
  for (const { category } of evidence) counts.set(category, (counts.get(category) ?? 0) + 1);
  const topics = [...counts].toSorted(([, a], [, b]) => b - a).slice(0, maxTopics);
  if (topics.length === 0) return;
  session.note(
    safe`topics: ${joinSafe(
      topics.map(([name, n]) => safe`${storedLine(name, 60)} ${n}`),
      ", ",
    )}`,
  );
}

/** The fields of a record file, and ralph's own. */
function toJson(record: RecordView): object {
  const of = (name: string) => record.entries.filter(({ list }) => list === name);
  return {
    id: record.id,
    task_id: record.taskId,
    timestamp: record.recordedAt,
    outcome: record.outcome,
    tokens_used: record.tokensUsed,
    duration_seconds: record.durationSeconds,
    successes: of("successes").map(({ content, category, reusable }) => ({
      pattern: content,
      category,
      reusable,
    })),
    failures: of("failures").map(({ content, category, supplement }) => ({
      pattern: content,
      category,
      lesson: supplement,
    })),
    discoveries: of("discoveries").map(({ content, category, supplement }) => ({
      description: content,
      source: supplement,
      category,
    })),
    missing_context: of("missing_context").map(({ content }) => content),
    wished_for_skills: of("wished_for_skills").map(({ content }) => content),
    attempt: record.attempt,
    runId: record.runId,
    verified: record.verified,
    file: record.origin ?? record.fileName,
    imported: record.origin !== null,
  };
}

const marks = {
  successes: "worked",
  failures: "failed",
  discoveries: "found",
  missing_context: "missing",
  wished_for_skills: "wished for",
} as const;

function renderRecord({ screen }: Session, record: RecordView): readonly SafeText[] {
  const { taskId, attempt, recordedAt, outcome, verified, origin, tokensUsed, entries } = record;
  const from = origin === null ? "" : safe`, imported from ${storedLine(origin, 200)}`;
  const tokens = tokensUsed === null ? "" : safe`, ${tokensUsed} tokens`;
  const nth = attempt === null ? "" : safe` attempt ${attempt}`;
  const head = safe`${storedLine(taskId, 200)}${nth}  ${storedLine(recordedAt)}  ${outcome}${verified ? " (verified)" : ""}${tokens}${from}`;
  const width = screen.outIsTerminal ? Math.max(40, screen.columns) : Number.POSITIVE_INFINITY;
  const lines = entries.map(({ list, content, category, supplement }) => {
    const topic = category === "" ? "" : safe`[${storedLine(category, 60)}] `;
    const more = supplement === "" ? "" : safe` — ${storedLine(supplement, 600)}`;
    return safe`  ${storedText(marks[list]).padEnd(11)}${topic}${storedLine(content, 600)}${more}`;
  });
  return [head, ...lines].flatMap((line) => wrapLine(line, width, 11));
}
