import { messageOf } from "../../base/errors.ts";
import { type SafeText, safe } from "../../base/safe-text.ts";
import {
  isYamlObject,
  parseYaml,
  type YamlObject,
  type YamlValue,
  yamlBoolean,
  yamlInteger,
} from "../../base/yaml.ts";
import { safeLine } from "../../trust/safe-text.ts";
import type { RecordEntry, RecordList, RecordOutcome } from "../port/record.ts";

const maxBytes = 1_000_000;
const maxPerList = 100;
const textChars = 600;
const categoryChars = 60;
/** Tolerance for clocks that are fast. */
const clockToleranceMs = 86_400_000;
const outcomes: readonly RecordOutcome[] = ["success", "failure", "partial"];

/** The content of a record file, with safe texts. */
export interface ReadRecord {
  readonly taskId: SafeText;
  /** ISO 8601. */
  readonly recordedAt: string;
  readonly outcome: RecordOutcome;
  readonly tokensUsed: number | null;
  readonly durationSeconds: number | null;
  readonly entries: readonly RecordEntry[];
}

/** Reads a record file (LEARN-3), which anyone may have written. Returns the record, or why it is none. */
export function readRecordFile(
  text: string,
  file: string,
  now: Date,
): ReadRecord | { readonly problem: string } {
  try {
    const { value } = parseYaml(text, { file, maxBytes, maxDepth: 8 });
    return isYamlObject(value) ? toRecord(value, now) : { problem: "is not a mapping" };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

function toRecord(value: YamlObject, now: Date): ReadRecord | { readonly problem: string } {
  const taskId = lineOf(value["task_id"], 200);
  if (taskId === "") return { problem: "has no `task_id`" };
  const time = Date.parse(String(value["timestamp"] ?? ""));
  if (Number.isNaN(time)) return { problem: "has no valid `timestamp`" };
  const outcome = outcomes.find((name) => name === value["outcome"]);
  if (!outcome) return { problem: "has an unknown `outcome`: expected success, failure or partial" };
  const isFuture = time > now.getTime() + clockToleranceMs;
  return {
    taskId,
    recordedAt: new Date(isFuture ? now : time).toISOString(),
    outcome,
    tokensUsed: countOf(value["tokens_used"]),
    durationSeconds: countOf(value["duration_seconds"]),
    entries: [
      ...objects(value, "successes", { content: "pattern", supplement: null }),
      ...objects(value, "failures", { content: "pattern", supplement: "lesson" }),
      ...objects(value, "discoveries", { content: "description", supplement: "source" }),
      ...texts(value, "missing_context"),
      ...texts(value, "wished_for_skills"),
    ],
  };
}

function countOf(value: YamlValue | undefined): number | null {
  const count = yamlInteger(value);
  return count === undefined || count < 0 ? null : count;
}

function lineOf(value: YamlValue | undefined, max: number): SafeText {
  return typeof value === "string" ? safeLine(value, max) : safe``;
}

const common = {
  category: safe``,
  supplement: safe``,
  reusable: false,
  statedIn: "import",
  learningId: null,
} as const;

/** Items without a text are left out. */
function objects(
  value: YamlObject,
  list: RecordList,
  fields: { readonly content: string; readonly supplement: string | null },
): readonly RecordEntry[] {
  return itemsOf(value[list]).flatMap((item): readonly RecordEntry[] => {
    if (!isYamlObject(item)) return [];
    const content = lineOf(item[fields.content], textChars);
    if (content === "") return [];
    const category = lineOf(item["category"], categoryChars) || safe`general`;
    const supplement = fields.supplement === null ? safe`` : lineOf(item[fields.supplement], textChars);
    const reusable = list === "successes" && yamlBoolean(item["reusable"]) !== false;
    const when = lineOf(item["when"], textChars);
    return [{ ...common, list, content, category, supplement, reusable, ...(when === "" ? {} : { when }) }];
  });
}

function texts(value: YamlObject, list: RecordList): readonly RecordEntry[] {
  return itemsOf(value[list])
    .map((item) => lineOf(item, textChars))
    .filter((content) => content !== "")
    .map((content) => ({ ...common, list, content }));
}

function itemsOf(value: YamlValue | undefined): readonly YamlValue[] {
  return Array.isArray(value) ? (value as readonly YamlValue[]).slice(0, maxPerList) : [];
}
