import type { RecordEntry, RecordList } from "../src/memory/port/record.ts";
import { insertRecord } from "../src/memory/records/record-store.ts";
import type { Db } from "../src/store/port/db.ts";
import { safeLine } from "../src/trust/safe-text.ts";

export interface SampleRecord {
  readonly task: string;
  readonly category?: string;
  readonly successes?: readonly string[];
  readonly discoveries?: readonly string[];
  /** Each with its lesson. */
  readonly failures?: readonly (readonly [pattern: string, lesson: string])[];
  readonly error?: string;
  readonly verified?: boolean;
  readonly tags?: readonly string[];
  readonly files?: readonly string[];
  readonly runId?: string;
  readonly attempt?: number;
}

/** Stores the records of judged attempts, one a minute from `start` on. */
export async function storeRecords(
  db: Db,
  records: readonly SampleRecord[],
  start: Date = new Date("2026-03-01T10:00:00.000Z"),
): Promise<void> {
  await db.transaction(async (tx) => {
    for (const [minute, record] of records.entries()) {
      const { task, category = "ios26", verified = true, tags = [category], files = [] } = record;
      const at = new Date(start.getTime() + minute * 60_000);
      const entry = (list: RecordList, content: string, supplement = ""): RecordEntry => ({
        list,
        content: safeLine(content),
        category: safeLine(category),
        supplement: safeLine(supplement),
        reusable: list === "successes",
        statedIn: "learning",
        learningId: null,
      });
      const fields = {
        taskId: task,
        attempt: record.attempt ?? 1,
        runId: record.runId ?? "run-1",
        iterationId: `it-${task}-${minute}`,
        recordedAt: at.toISOString(),
        outcome: verified ? "success" : "failure",
        verified,
        tokensUsed: null,
        durationSeconds: 1,
        error: record.error === undefined ? null : safeLine(record.error),
        tags,
        files,
        origin: null,
        approved: true,
        entries: [
          ...(record.successes ?? []).map((text) => entry("successes", text)),
          ...(record.discoveries ?? []).map((text) => entry("discoveries", text, "agent")),
          ...(record.failures ?? []).map(([text, lesson]) => entry("failures", text, lesson)),
        ],
      } as const;
      await insertRecord(tx, fields, `learning-${task}-${minute}`);
    }
  });
}
