import { decimal, joinSafe, type SafeText, safe } from "../../../base/safe-text.ts";
import { count } from "../../../base/text.ts";
import type { HivemindCollection } from "../../../memory/hivemind-actions.ts";
import { storedJson, storedText } from "../../../trust/stored-text.ts";
import type { Session } from "../../shell/command.ts";
import { printResult } from "../../shell/print-result.ts";
import { plain } from "./render-memory.ts";
import { recordLine, renderRecordLines } from "./render-record.ts";

interface Words {
  readonly text: string;
  readonly tags: readonly string[];
  readonly limit: number;
}

/** `ralph memory find --collection hivemind`. */
export async function findRecords(
  session: Session,
  records: HivemindCollection,
  { words, explain }: { readonly words: Words; readonly explain: (parts: Scores) => SafeText | null },
): Promise<void> {
  const found = await records.find(words);
  if (session.json) {
    const results = found.map(({ record, score, parts }) => ({
      memory: records.toJson(record),
      score,
      matchType: "fts",
      parts,
    }));
    session.out(storedJson({ success: true, results }));
    return;
  }
  for (const { record, score, parts } of found) {
    session.out(safe`[${storedText(record.id)}] ${decimal(score, 2)}  ${recordLine(record)}`);
    const why = explain(parts);
    if (why !== null) session.out(safe`    ${why}`);
  }
  if (found.length === 0) session.note(safe`the hivemind has no records for ${plain(words.text, 400)}`);
}

type Scores = Readonly<Record<string, number>>;

/** `ralph memory list --collection hivemind`. */
export async function listRecords(
  session: Session,
  records: HivemindCollection,
  { tags, limit }: Omit<Words, "text">,
): Promise<void> {
  const found = await records.find({ text: "", tags, limit });
  if (session.json) {
    session.out(storedJson(found.map(({ record }) => records.toJson(record))));
    return;
  }
  for (const { record } of found) session.out(safe`${storedText(record.id)}  ${recordLine(record)}`);
  const total = tags.length > 0 ? found.length : (await records.count()).records;
  session.note(
    total > found.length
      ? safe`${found.length} of ${count(total, "record")} (use --limit for more)`
      : count(found.length, "record"),
  );
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
    const history = decision
      ? [
          {
            at: decision.at,
            change: decision.decision,
            by: byWhom(decision),
            runId: decision.runId,
            detail: {},
          },
        ]
      : [];
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
    ...(decision ? [{ at: decision.at, text: `${decision.decision} by ${byWhom(decision)}` }] : []),
  ];
  const lines = events.map(({ at, text }) => safe`  ${plain(at, 40)}  ${plain(text, 600)}`);
  session.out(joinSafe([...renderRecordLines(record), safe``, safe`History here:`, ...lines], "\n"));
}

function byWhom({ decision }: { readonly decision: string }): string {
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
