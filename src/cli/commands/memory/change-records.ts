import { safe } from "../../../base/safe-text.ts";
import { clip } from "../../../base/text.ts";
import type { HivemindCollection } from "../../../memory/hivemind-actions.ts";
import { storedText } from "../../../trust/stored-text.ts";
import type { Session } from "../../shell/command.ts";
import { printResult } from "../../shell/print-result.ts";
import { plain } from "./render-memory.ts";

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
    safe`stored in the hivemind: ${storedText(id)} ${clip(plain(content, 1000), 100)}`,
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
      ? safe`deleted ${plain(id, 80)} from the hivemind`
      : safe`${plain(id, 80)} is not in the hivemind`,
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
    safe`validated ${plain(id, 80)} ${clip(plain(record.content, 1000), 100)}`,
  );
}
