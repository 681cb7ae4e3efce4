import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { carefulRead, lookAt } from "../../base/careful-files.ts";
import { isObject, parseJson } from "../../base/json.ts";
import { type SafeText, safe } from "../../base/safe-text.ts";
import { lastEvents } from "../../events/event-store.ts";
import type { Reader } from "../../store/port/db.ts";
import { writeFileSafely } from "../../trust/safe-file.ts";
import { safeLine, safeText } from "../../trust/safe-text.ts";
import { noteHealth, useResult } from "../port/health-store.ts";
import type { KindSetup, MemoryKind, OpenedKind, Recalled, RecallRequest } from "../port/memory-kind.ts";
import { readContext, readOthers } from "./read-context.ts";
import { type ContextParts, renderContext, shownAtMost } from "./render-context.ts";

const section = "structured-context";
const fileName = ".ralph-context.json";
const maxEvents = 5;
const progressBytes = 8 * 1024;

/** The results of the project's other tasks: a file for other programs, and a section of prompts (CTX-1). */
export const contextKind: MemoryKind = {
  name: section,
  open: openContext,
};

/** Writes the file again after a purge of the rows that it repeats. */
export async function refreshContextFile(q: Reader, root: string): Promise<void> {
  const found = lookAt(join(root, fileName));
  // A link in its place is not ralph's, and nothing was written through it.
  if (found?.isFile()) await writeContext(q, root);
}

/** Attempts that take less share a write; a run's end writes the rest. */
const writeGapMs = 1000;

function openContext({ root, writesContext, now }: KindSetup): OpenedKind {
  // The first write also repairs what a kill prevented.
  let isOwed = true;
  let nextWrite = 0;
  let runId: string | null = null;
  return {
    name: section,
    instructions: safe``,
    capture: async () => {
      isOwed = true;
    },
    finishCapture: async (db, end) => {
      const time = now().getTime();
      if (!writesContext || !isOwed || (end === undefined && time < nextWrite)) return;
      isOwed = false;
      nextWrite = time + writeGapMs;
      try {
        await writeContext(db, root);
      } catch (error) {
        await noteHealth(db, section, useResult(error), { runId, now: now() });
        throw error;
      }
      await noteHealth(db, section, useResult(null), { runId, now: now() });
    },
    recall: async (db, request) => {
      runId = request.runId;
      return writesContext ? recallContext(db, root, request) : [];
    },
  };
}

async function writeContext(q: Reader, root: string): Promise<void> {
  const text = `${JSON.stringify(await readContext(q), null, 2)}\n`;
  await writeFileSafely(join(root, fileName), text, { root, mode: 0o644, durable: false });
}

/** Adds nothing for a project without other finished or failed tasks and without PROGRESS.md. */
async function recallContext(db: Reader, root: string, request: RecallRequest): Promise<readonly Recalled[]> {
  const { task, seed } = request;
  const { stories, failures } = await readOthers(db, task.id, shownAtMost);
  const parts: ContextParts = {
    stories: stories.toReversed(),
    failures: failures.toReversed(),
    events: [],
    progress: progressOf(root),
  };
  if (parts.stories.length + parts.failures.length === 0 && parts.progress === "") return [];
  const events = await eventsOf(db);
  const render = (room: number): SafeText => renderContext({ ...parts, events }, seed, room);
  const item = {
    ...{ id: section, short: safe``, score: 1, reason: "other tasks of this project" },
    text: render(Number.POSITIVE_INFINITY),
    fit: render,
  };
  const heading = safe`## Structured Context (machine-generated)`;
  return [{ section, heading, lead: safe``, items: [item], tail: safe``, drop: "last" }];
}

/** Returns the last events about tasks, each as its type and task. */
async function eventsOf(q: Reader): Promise<readonly SafeText[]> {
  const events = await lastEvents(q, "story_", maxEvents);
  return events.map(({ type, data }) => {
    return safe`${safeLine(type, 40)} ${safeLine(String(storyIn(data) ?? ""), 80)}`;
  });
}

function storyIn(data: string): unknown {
  const fields = parseJson(data);
  return isObject(fields) ? fields["storyId"] : undefined;
}

/** Returns the end of PROGRESS.md, from a line's beginning; "" without one, and for a link. */
function progressOf(root: string): SafeText {
  try {
    const file = openSync(join(root, "PROGRESS.md"), carefulRead);
    try {
      const stats = fstatSync(file);
      if (!stats.isFile()) return safe``;
      const bytes = Buffer.alloc(Math.min(stats.size, progressBytes));
      readSync(file, bytes, 0, bytes.length, stats.size - bytes.length);
      const start = bytes.length < stats.size ? bytes.indexOf(0x0a) + 1 : 0;
      return safeText(bytes.toString("utf8", start)).trim();
    } finally {
      closeSync(file);
    }
  } catch {
    return safe``;
  }
}
