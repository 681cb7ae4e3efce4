import { closeSync } from "node:fs";
import { open } from "node:fs/promises";
import { carefulRead } from "../../base/careful-files.ts";
import type { Reader, Seal } from "../../store/db.ts";
import type { RalphEvent } from "../event.ts";
import { isSealed, readPending } from "../outbox-store.ts";
import { chainValue, splitChain } from "./chain.ts";
import { mayBeRecord } from "./line-form.ts";
import { type LogLine, openLogFile, readLinesAfter, streamLineBytes } from "./log-file.ts";
import { toLogEvent } from "./log-line.ts";
import { createLineVerifier } from "./verify-lines.ts";

/** Events of one moment on, oldest first, divided by whether a process with the project's key recorded them. */
export interface EventsByTrust {
  readonly trusted: readonly RalphEvent[];
  readonly doubted: readonly RalphEvent[];
}

/**
 * Returns the events numbered above `after` in the log at `file` and in the outbox; each is in one of them or both. Without a
 * key all are trusted.
 */
export async function eventsAfter(
  q: Reader,
  { seal, file, after }: { readonly seal: Seal | null; readonly file: string; readonly after: number },
): Promise<EventsByTrust> {
  const logged = await readLogged(file, after, seal);
  const pending = (await readPending(q)).filter(({ seq }) => seq > after);
  const trusted = [...logged.trusted, ...pending.filter((event) => isSealed(seal, event)).map(toLogEvent)];
  const bySeq = new Map(trusted.map((event) => [event.seq ?? 0, event]));
  return {
    trusted: [...bySeq.values()].toSorted((a, b) => (a.seq ?? 0) - (b.seq ?? 0)),
    doubted: [...logged.doubted, ...pending.filter((event) => !isSealed(seal, event)).map(toLogEvent)],
  };
}

async function readLogged(file: string, after: number, seal: Seal | null): Promise<EventsByTrust> {
  const lines = linesAfter(file, after);
  const key = seal?.keyId == null ? null : seal;
  const isTrusted =
    key === null || lines.every((line) => follows(key, line))
      ? null
      : await verifiedTail(file, key, lines.length);
  const events = lines.map(({ event }, at) => ({ event, trusted: isTrusted?.[at] ?? isTrusted === null }));
  const pick = (wanted: boolean): readonly RalphEvent[] =>
    events.flatMap(({ event, trusted }) => (event && trusted === wanted ? [event] : []));
  // A snapshot, which has no number, shows the rows as they were, whoever wrote them.
  return { trusted: pick(true).filter(({ seq }) => seq !== undefined), doubted: pick(false) };
}

function linesAfter(file: string, after: number): readonly LogLine[] {
  const descriptor = openLogFile(file);
  try {
    return readLinesAfter(descriptor, after);
  } finally {
    closeSync(descriptor);
  }
}

/** Returns true for a verified line whose predecessor is chained too, which needs no look at the lines before. */
function follows(key: Seal, { text, event, before }: LogLine): boolean {
  const [line, previous] = [splitChain(text), splitChain(before)];
  if (!line || !previous || event?.["unverified"] === true) return false;
  return chainValue(key, previous.chain, line.body) === line.chain;
}

/** Verifies the whole log and returns for each of its last `count` records whether it is trusted. */
async function verifiedTail(file: string, key: Seal, count: number): Promise<readonly boolean[]> {
  const verifier = createLineVerifier(key);
  const handle = await open(file, carefulRead);
  const trusted: boolean[] = [];
  try {
    for await (const line of streamLineBytes(handle)) {
      const { state } = verifier.next(line);
      if (line === undefined || !mayBeRecord(line)) continue;
      trusted.push(state === "sealed" || state === "older");
      if (trusted.length > 2 * count + 1000) trusted.splice(0, trusted.length - count);
    }
  } finally {
    await handle.close();
  }
  return trusted.slice(-count);
}
