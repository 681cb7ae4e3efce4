import { type SafeText, safe } from "../../../base/safe-text.ts";
import { clip } from "../../../base/text.ts";
import { fromOf, type HivemindRecord, markOf, originOf } from "../../../memory/hivemind-actions.ts";
import { storedText } from "../../../trust/stored-text.ts";
import { plain } from "./render-memory.ts";

const lineChars = 280;

/** Returns a record of the hivemind as one line: its text, and where it is from. */
export function recordLine(record: HivemindRecord): SafeText {
  return safe`${clip(plain(record.content, 1000), lineChars)} (from ${plain(originOf(record), 200)})`;
}

/** Returns all details of one record as lines. */
export function renderRecordLines(record: HivemindRecord): readonly SafeText[] {
  const rows: readonly (readonly [string, string])[] = [
    ["from", fromOf(record)],
    ["here", markOf(record)],
    ["task", record.title],
    ["tags", record.tags.join(", ")],
    ["created", record.createdAt],
    ["validated", record.updatedAt === record.createdAt ? "" : record.updatedAt],
  ];
  return [
    safe`${storedText(record.id)}  [${plain(record.type, 20)}]`,
    storedText(record.content),
    safe``,
    ...rows
      .filter(([, value]) => value !== "")
      .map(([name, value]) => safe`  ${storedText(name).padEnd(11)} ${plain(value, 1000)}`),
  ];
}
