import { joinSafe, type SafeText, safe } from "../../../base/safe-text.ts";
import { clip, count } from "../../../base/text.ts";
import {
  fromOf,
  type HivemindCollection,
  type HivemindRecord,
  markOf,
  originOf,
} from "../../../memory/hivemind-actions.ts";
import { storedJson, storedLine, storedText } from "../../../trust/stored-text.ts";
import type { Session } from "../../shell/command.ts";
import { noteCount, printResult } from "../../shell/io.ts";

const lineChars = 280;

/** Returns a record of the hivemind as one line: its text, and where it is from. */
export function recordLine(record: HivemindRecord): SafeText {
  return safe`${clip(storedLine(record.content, 1000), lineChars)} (from ${storedLine(originOf(record), 200)})`;
}

function renderRecordLines(record: HivemindRecord): readonly SafeText[] {
  const rows: readonly (readonly [string, string])[] = [
    ["from", fromOf(record)],
    ["here", markOf(record)],
    ["task", record.title],
    ["tags", record.tags.join(", ")],
    ["created", record.createdAt],
    ["validated", record.updatedAt === record.createdAt ? "" : record.updatedAt],
  ];
  return [
    safe`${storedText(record.id)}  [${storedLine(record.type, 20)}]`,
    storedText(record.content),
    safe``,
    ...rows
      .filter(([, value]) => value !== "")
      .map(([name, value]) => safe`  ${storedText(name).padEnd(11)} ${storedLine(value, 1000)}`),
  ];
}

/** `ralph memory list --collection hivemind`. */
export async function listRecords(
  session: Session,
  records: HivemindCollection,
  { tags, limit }: { readonly tags: readonly string[]; readonly limit: number },
): Promise<void> {
  const found = await records.find({ text: "", tags, limit });
  if (session.json) {
    session.out(storedJson(found.map(({ record }) => records.toJson(record))));
    return;
  }
  for (const { record } of found) session.out(safe`${storedText(record.id)}  ${recordLine(record)}`);
  const total = tags.length > 0 ? found.length : (await records.count()).records;
  noteCount(session, { shown: found.length, total, what: safe`record` });
}

/** `ralph memory get h-…`. */
export async function showRecord(session: Session, records: HivemindCollection, id: string): Promise<void> {
  const record = await records.get(id);
  printResult(
    session,
    { success: true, memory: records.toJson(record) },
    joinSafe(renderRecordLines(record), "\n"),
  );
  if (record.mark === "unconfirmed")
    session.note(
      safe`hint: run \`ralph memory approve ${storedText(record.id)}\` to trust it in this project`,
    );
}

/** `ralph memory why h-…`: where a record is from, and what came of it in this project. */
export async function explainRecord(
  session: Session,
  records: HivemindCollection,
  id: string,
): Promise<void> {
  const { record, decision, uses } = await records.history(id);
  if (session.json) {
    const history = (decision ? [decision] : []).map(({ at, decision: change, runId }) => {
      return { at, change, by: byWhom(change), runId, detail: {} };
    });
    const showings = uses.map((use) => ({ ...use, rank: null, verdict: null }));
    session.out(storedJson({ success: true, memory: records.toJson(record), history, showings }));
    return;
  }
  const events = [
    { at: record.createdAt, text: "stored" },
    ...uses.map(({ at, taskId, attempt, heldOut, outcome, verification }) => {
      const checked = verification === null ? "" : ` (${verification})`;
      const end = outcome === null ? "" : `; outcome ${outcome}${checked}`;
      return { at, text: `${heldOut ? "held out of" : "shown to"} attempt ${attempt} of ${taskId}${end}` };
    }),
    ...(decision ? [{ at: decision.at, text: `${decision.decision} by ${byWhom(decision.decision)}` }] : []),
  ];
  const lines = events.map(({ at, text }) => safe`  ${storedLine(at, 40)}  ${storedLine(text, 600)}`);
  session.out(joinSafe([...renderRecordLines(record), safe``, safe`History here:`, ...lines], "\n"));
}

function byWhom(decision: string): string {
  return decision === "approved" ? "a person" : decision === "confirmed" ? "a verified success" : "an agent";
}

/** `ralph memory stats --collection hivemind`. */
export async function countRecords(session: Session, records: HivemindCollection): Promise<void> {
  const { records: memories, projects } = await records.count();
  const stats = { memories, embeddings: 0 };
  printResult(
    session,
    { success: true, stats, ...stats, records: memories, projects },
    safe`hivemind  ${count(memories, "record")}${projects === null ? "" : safe` of ${count(projects, "project")}`}`,
  );
}

/** `ralph memory store --collection hivemind`. */
export async function storeRecord(
  session: Session,
  records: HivemindCollection,
  { text, tags }: { readonly text: string; readonly tags: readonly string[] },
): Promise<void> {
  const record = await records.store(text, tags);
  const { id, content } = record;
  printResult(
    session,
    { success: true, id, memory: records.toJson(record) },
    safe`stored in the hivemind: ${storedText(id)} ${clip(storedLine(content, 1000), 100)}`,
  );
  if (content.endsWith("…") && !text.endsWith("…"))
    session.note(safe`warning: the text was truncated to ${content.length} characters`);
  session.note(safe`hint: run \`ralph memory get ${storedText(id)}\` to see it`);
}

/** `ralph memory remove h-…`. */
export async function removeRecord(session: Session, records: HivemindCollection, id: string): Promise<void> {
  const removed = await records.remove(id);
  printResult(
    session,
    { success: true, id, removed },
    removed
      ? safe`deleted ${storedLine(id, 80)} from the hivemind`
      : safe`${storedLine(id, 80)} is not in the hivemind`,
  );
}

/** `ralph memory validate h-…`. */
export async function validateRecord(
  session: Session,
  records: HivemindCollection,
  id: string,
): Promise<void> {
  const record = await records.validate(id);
  printResult(
    session,
    { success: true, id, memory: records.toJson(record) },
    safe`validated ${storedLine(id, 80)} ${clip(storedLine(record.content, 1000), 100)}`,
  );
}
