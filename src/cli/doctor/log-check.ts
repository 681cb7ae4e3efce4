import { lookAt } from "../../base/careful-files.ts";
import { count } from "../../base/text.ts";
import { pendingEvents } from "../../events/outbox-store.ts";
import { isHeadLost, type LogReport, verifyLog } from "../../events/verify-log.ts";
import type { Reader } from "../../store/db.ts";
import type { ProjectKey } from "../../trust/project-key.ts";
import { type Check, failed, passed, warned } from "./check.ts";

interface LogPlace {
  /** `.ralph/events.jsonl`. */
  readonly history: string;
  readonly key: ProjectKey;
}

const check = "event log";
const repairHint = "run `ralph doctor --repair`, which keeps a copy and adds a snapshot of the store";

/** Reads the whole event log and compares its end with the store and with the head that is kept outside the project. */
export async function checkLog(db: Reader, { history, key }: LogPlace): Promise<Check> {
  const stats = lookAt(history);
  const lastNumber = await db.dialect.lastNumber("outbox");
  const pending = await pendingEvents(db);
  if (stats === undefined) {
    return lastNumber === 0 || pending[0]?.seq === 1
      ? passed({ check, detail: "no events yet" })
      : failed({ check, detail: `${history} is missing: the store could not be rebuilt` }, repairHint);
  }
  if (!stats.isFile()) {
    const detail = `${history} is not a regular file: expected a file`;
    return failed({ check, detail }, repairHint);
  }
  const report = await verifyLog(history, key);
  const problem = problemOf(report, { lastNumber, pending: pending.map(({ seq }) => seq) });
  if (problem !== null) return failed({ check, detail: `${history}: ${problem}` }, repairHint);
  if (isHeadLost(history, key)) {
    const detail = `${history} lacks events that ralph wrote here before: it and the store may be an older copy`;
    return warned({ check, detail }, "if you restored a backup, accept it with `ralph doctor --repair`");
  }
  return passed({ check, detail: describe(report, key) });
}

function problemOf(
  { bad, first, lastSeq, isComplete }: LogReport,
  { lastNumber, pending }: { readonly lastNumber: number; readonly pending: readonly number[] },
): string | null {
  if (first) {
    const more = bad > 1 ? ` (${count(bad - 1, "more damaged line")})` : "";
    return `line ${first.line} is damaged: ${first.fault}${more}`;
  }
  const expected = (pending[0] ?? lastNumber + 1) - 1;
  if (lastSeq < expected) return `events ${lastSeq + 1} to ${expected} are missing at its end`;
  // A crash can leave a part of an event that is still in the store.
  if (!isComplete && pending.length === 0) return "its last line is cut";
  return null;
}

function describe({ lines, unverified, ofOtherKeys }: LogReport, { keyId }: ProjectKey): string {
  const notes = [
    ...(keyId === null ? ["its chain is not checked: there is no key in the state folder"] : []),
    ...(ofOtherKeys > 0
      ? [`the chain of ${count(ofOtherKeys, "line")} is not checked: made with a key that is not here`]
      : []),
    ...(unverified > 0 ? [`${count(unverified, "event")} recorded without the project's key`] : []),
  ];
  return [`${count(lines, "line")} intact`, ...notes].join("; ");
}
