import { yamlString } from "../../base/json.ts";
import { slug } from "../../trust/safe-name.ts";
import type { LearningRecord, RecordEntry, RecordList } from "../port/record.ts";

const plainId = /^(?=.{1,64}$)[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*$/;

/** Returns `learning-<task>-<YYYYMMDD-HHMMSS>` (UTC). A task id that is not safe in a file name becomes its slug. */
export function recordName(taskId: string, recordedAt: string): string {
  const task = plainId.test(taskId) ? taskId : slug(taskId);
  const time = new Date(recordedAt).toISOString().slice(0, 19).replace(/[-:]/g, "").replace("T", "-");
  return `learning-${task}-${time}`;
}

/** Returns the text of a record's file: YAML, each text as a JSON string, which is a YAML string too. */
export function renderRecordFile(record: LearningRecord): string {
  const { taskId, recordedAt, outcome, tokensUsed, durationSeconds, entries } = record;
  const of = (list: RecordList): readonly RecordEntry[] => entries.filter((entry) => entry.list === list);
  const lines = [
    `task_id: ${yamlString(taskId)}`,
    `timestamp: ${yamlString(recordedAt)}`,
    `outcome: ${outcome}`,
    `tokens_used: ${tokensUsed}`,
    `duration_seconds: ${durationSeconds}`,
    ...list(
      "successes",
      of("successes").map(({ content, category, reusable, when }) => ({
        pattern: content,
        category,
        reusable,
        ...whenOf(when),
      })),
    ),
    ...list(
      "failures",
      of("failures").map(({ content, category, supplement, when }) => ({
        pattern: content,
        category,
        lesson: supplement,
        ...whenOf(when),
      })),
    ),
    ...list(
      "discoveries",
      of("discoveries").map(({ content, category, supplement, when }) => ({
        description: content,
        source: supplement,
        category,
        ...whenOf(when),
      })),
    ),
    ...list(
      "missing_context",
      of("missing_context").map(({ content }) => content),
    ),
    ...list(
      "wished_for_skills",
      of("wished_for_skills").map(({ content }) => content),
    ),
  ];
  return `${lines.join("\n")}\n`;
}

function whenOf(when: string | undefined): { readonly when?: string } {
  return when === undefined ? {} : { when };
}

type Item = string | Readonly<Record<string, string | boolean>>;

function list(name: RecordList, items: readonly Item[]): readonly string[] {
  if (items.length === 0) return [`${name}: []`];
  return [
    `${name}:`,
    ...items.flatMap((item) => (typeof item === "string" ? [`  - ${yamlString(item)}`] : map(item))),
  ];
}

function map(item: Readonly<Record<string, string | boolean>>): readonly string[] {
  return Object.entries(item).map(
    ([key, value], at) =>
      `${at === 0 ? "  - " : "    "}${key}: ${typeof value === "string" ? yamlString(value) : value}`,
  );
}
