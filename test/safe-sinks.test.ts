import { expect, test } from "vitest";
import { type SafeText, safe } from "../src/base/safe-text.ts";
import type { EventListener, RalphEvent } from "../src/events/event.ts";
import type { Hook } from "../src/events/hooks.ts";
import { appendLines, type LogEnd } from "../src/events/log-file.ts";
import { parseRedacted, redactedJson } from "../src/events/redact-json.ts";
import { addMessage } from "../src/loop/rows/message-store.ts";
import {
  finishPendingCommit,
  insertPendingCommit,
  type PendingCommit,
} from "../src/loop/rows/pending-commit-store.ts";
import { insertRun } from "../src/loop/rows/run-store.ts";
import { type FailureReport, insertReport } from "../src/memory/failures/failure-store.ts";
import type { Learning, NewLearning } from "../src/memory/learnings/store/learning.ts";
import { newLearning, putLearnings } from "../src/memory/learnings/store/learning-store.ts";
import { insertNote, numberIteration } from "../src/memory/notes/note-store.ts";
import { type Interruption, recordInterruption } from "../src/outcome/interruption-store.ts";
import type { Outcome } from "../src/outcome/outcome.ts";
import { recordOutcome } from "../src/outcome/outcome-store.ts";
import { errorSignature } from "../src/outcome/signature.ts";
import type { Tx } from "../src/store/port/db.ts";
import { countAttempt } from "../src/strategy/strategy-store.ts";
import { changeStatus } from "../src/tasks/graph/change-status.ts";
import { insertTaskLog } from "../src/tasks/graph/task-log-store.ts";
import { columnText, redactedText } from "../src/trust/safe-text.ts";
import { commitPaths } from "../src/workspace/commit.ts";
import type { Workspace } from "../src/workspace/git/workspace.ts";

const now = new Date("2026-03-01T10:00:00.000Z");
const ids = { session: safe`s`, iteration: 0, type: "tip", runId: null, iterationId: null } as const;

test("TRUST-1: the compiler refuses plain text and plain objects for the event log and hooks", () => {
  const outside: string = "any text";
  const event: RalphEvent = { type: "task.done", timestamp: "", jobId: null, title: outside };
  const refused = [
    // @ts-expect-error a line of the log
    (end: LogEnd) => appendLines(0, "events.jsonl", { end, lines: [outside] }),
    // @ts-expect-error JSON of an object that was not redacted
    (end: LogEnd) => appendLines(0, "events.jsonl", { end, lines: [JSON.stringify(event)] }),
    // @ts-expect-error an object that was not redacted
    () => redactedJson(event),
    // @ts-expect-error text that was not redacted
    () => parseRedacted(outside),
    // @ts-expect-error the input of a hook
    (hook: Hook, signal: AbortSignal) => hook.send(JSON.stringify(event), signal),
    // @ts-expect-error an event for listeners
    (listener: EventListener) => listener(event),
  ];
  expect(refused).toHaveLength(6);
});

test("TRUST-1, TRUST-7: the compiler refuses plain text as a commit's message", () => {
  const outside: string = "any text";
  const refused = [
    // @ts-expect-error plain text for git
    (ws: Workspace) => commitPaths(ws, { paths: ["a.txt"], message: outside }),
    // @ts-expect-error redacted text still has control characters
    (ws: Workspace) => commitPaths(ws, { paths: ["a.txt"], message: redactedText(outside) }),
    (tx: Tx, pending: PendingCommit) =>
      // @ts-expect-error the message of a commit to make
      insertPendingCommit(tx, { ...pending, message: outside }, now),
  ];
  expect(refused).toHaveLength(3);
});

test("TRUST-1: the compiler refuses plain text where the store takes outside text", () => {
  const outside: string = "any text";
  // Never called: only their types matter.
  const refused = [
    // @ts-expect-error a line of a task's log
    (tx: Tx) => insertTaskLog(tx, "t-1", outside, now),
    // @ts-expect-error an ordinary template is plain text, even of redacted parts
    (tx: Tx) => insertTaskLog(tx, "t-1", `failed: ${columnText(outside)}`, now),
    (tx: Tx) => {
      const change = { id: "t-1", status: "failed", type: "task.failed", reason: outside } as const;
      // @ts-expect-error the reason of a status
      return changeStatus(tx, change, now);
    },
    // @ts-expect-error a message
    (tx: Tx) => addMessage(tx, { text: outside, taskId: null }, now),
    // @ts-expect-error a note
    (tx: Tx) => insertNote(tx, { ...ids, text: outside }, now),
    // @ts-expect-error a note also has no control characters
    (tx: Tx) => insertNote(tx, { ...ids, text: redactedText(outside) }, now),
    (tx: Tx, interruption: Interruption) =>
      // @ts-expect-error the message of an interruption
      recordInterruption(tx, { ...interruption, message: outside }, now),
    (tx: Tx, outcome: Outcome) => {
      const claims = { ...outcome.claims, nextModel: outside };
      // @ts-expect-error the model that an agent asks for
      return countAttempt(tx, { ...outcome, claims }, { stuckAfter: 3 }, now);
    },
    (tx: Tx, learning: Learning) => {
      const edited = { ...learning, lesson: outside };
      // @ts-expect-error the lesson of a learning
      return putLearnings(tx, [{ learning: edited, change: "edited", by: "person" }], { runId: null, now });
    },
    (tx: Tx, learning: Learning) => {
      const edited = { ...learning, detail: outside };
      // @ts-expect-error the detail of a learning
      return putLearnings(tx, [{ learning: edited, change: "edited", by: "person" }], { runId: null, now });
    },
  ];
  expect(refused).toHaveLength(10);
});

test("TRUST-1: the compiler refuses plain text in each text of a learning", () => {
  const outside: string = "any text";
  const occasion = { runId: null, now };
  const refused = [
    // @ts-expect-error a new learning's category
    (tx: Tx, made: NewLearning) => newLearning(tx, { ...made, category: outside }, now),
    // @ts-expect-error a new learning's category also has no control characters
    (tx: Tx, made: NewLearning) => newLearning(tx, { ...made, category: redactedText(outside) }, now),
    // @ts-expect-error a new learning's topic
    (tx: Tx, made: NewLearning) => newLearning(tx, { ...made, topic: outside }, now),
    // @ts-expect-error a new learning's tags
    (tx: Tx, made: NewLearning) => newLearning(tx, { ...made, tags: [outside] }, now),
    // @ts-expect-error a new learning's files
    (tx: Tx, made: NewLearning) => newLearning(tx, { ...made, files: [outside] }, now),
    // @ts-expect-error the signatures of the errors that it ends
    (tx: Tx, made: NewLearning) => newLearning(tx, { ...made, fixes: [outside] }, now),
    (tx: Tx, learning: Learning) => {
      const change = { change: "edited", by: "person" } as const;
      return [
        // @ts-expect-error a category
        putLearnings(tx, [{ ...change, learning: { ...learning, category: outside } }], occasion),
        // @ts-expect-error a topic
        putLearnings(tx, [{ ...change, learning: { ...learning, topic: outside } }], occasion),
        // @ts-expect-error tags
        putLearnings(tx, [{ ...change, learning: { ...learning, tags: [outside] } }], occasion),
        // @ts-expect-error files
        putLearnings(tx, [{ ...change, learning: { ...learning, files: [outside] } }], occasion),
        // @ts-expect-error signatures
        putLearnings(tx, [{ ...change, learning: { ...learning, fixes: [outside] } }], occasion),
      ];
    },
  ];
  expect(refused).toHaveLength(7);
});

test("TRUST-1: the compiler refuses plain text for sessions, signatures and what a pending commit says", () => {
  const outside: string = "any text";
  const iterationId = "i-1";
  const refused = [
    // @ts-expect-error the session of a run
    (tx: Tx, run: Parameters<typeof insertRun>[1]) => insertRun(tx, { ...run, session: outside }),
    // @ts-expect-error the session of an iteration
    (tx: Tx) => numberIteration(tx, { iterationId, runId: "run-1", session: outside }, now),
    // @ts-expect-error the session of a note
    (tx: Tx, text: SafeText) => insertNote(tx, { ...ids, session: outside, text }, now),
    // @ts-expect-error the signature of an attempt's error
    (tx: Tx, outcome: Outcome) => recordOutcome(tx, { ...outcome, signature: outside }, now),
    (tx: Tx, report: FailureReport) =>
      // @ts-expect-error the signature of a failure report
      insertReport(tx, { ...report, signature: outside }, "run-1", now),
    // @ts-expect-error the category in a signature
    () => errorSignature(outside, "error: x"),
    (tx: Tx, pending: PendingCommit) => {
      const { story } = pending;
      return [
        // @ts-expect-error the title of its task
        insertPendingCommit(tx, { ...pending, story: { ...story, title: outside } }, now),
        // @ts-expect-error its files
        insertPendingCommit(tx, { ...pending, story: { ...story, files: [outside] } }, now),
        // @ts-expect-error the agent's summary
        insertPendingCommit(tx, { ...pending, story: { ...story, summary: outside } }, now),
        // @ts-expect-error the message of the commit that was made
        finishPendingCommit(tx, pending, { hash: "", message: outside }, now),
      ];
    },
  ];
  expect(refused).toHaveLength(7);
});
