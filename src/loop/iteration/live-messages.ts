import type { Steer } from "../../agents/port/agent.ts";
import type { Clock } from "../../base/clock.ts";
import { joinSafe, type RedactedText, redacted } from "../../base/safe-text.ts";
import type { EventLog } from "../../events/event-log.ts";
import type { Db, Tx } from "../../store/port/db.ts";
import { columnText, safeText } from "../../trust/safe-text.ts";
import {
  askedMessages,
  beginPassing,
  endPassing,
  letWait,
  type Message,
  returnMessage,
} from "../rows/message-store.ts";
import { repeat } from "../rows/repeat.ts";
import type { LiveIteration, LiveMessages } from "../rows/slot.ts";
import lead from "./live-message.md";

/** One poll reads a few rows by an index. */
const pollMs = 500;

interface Place {
  readonly db: Db;
  readonly log: EventLog;
  readonly clock: Clock;
  readonly runId: string;
}

interface Working extends LiveIteration {
  /** Undefined: the agent's program is being started. */
  steer: Steer | null | undefined;
  readonly ended: Promise<false>;
  readonly deliveries: Set<Promise<void>>;
  /** Answers of the agent that could not be recorded when they came. */
  readonly unrecorded: Set<() => Promise<void>>;
}

/**
 * Answers each message: the agent gets it, or it waits for the next iteration, with the reason. A message belongs to the
 * iteration from before it is given to the agent, so that no prompt repeats it, and returns to the waiting ones when the
 * agent does not take it, or when ralph is killed meanwhile.
 */
export function openLiveMessages(place: Place): LiveMessages {
  const sessions = new Set<Working>();
  const answer = async (message: Message): Promise<void> => {
    const now = recipientOf([...sessions], message);
    // Its program is being started.
    if (now && now.steer === undefined) return;
    const reason = reasonToWait([...sessions], now);
    if (reason !== null) return commit(place, (tx) => letWait(tx, message.id, reason, place.clock.now()));
    if (!now?.steer) return;
    const to = { ...now, runId: place.runId };
    // From here on the message belongs to the iteration: it is given to the agent whatever fails.
    if (!(await place.db.transaction((tx) => beginPassing(tx, message.id, to, place.clock.now())))) return;
    now.deliveries.add(deliver(place, message, { ...now, steer: now.steer }));
    await place.log.flush();
  };
  let answers: Promise<void> = Promise.resolve();
  const answerAll = async (): Promise<void> => {
    for (const message of await askedMessages(place.db)) await answer(message);
  };
  return {
    async during(work) {
      // A poll that fails, as on a locked store, is repeated.
      const polls = repeat(pollMs, () => {
        answers = answerAll();
        return answers;
      });
      return await work.finally(() => polls.stop());
    },
    begin(iteration) {
      let end: (ended: false) => void = () => undefined;
      const session: Working = {
        ...iteration,
        steer: undefined,
        ended: new Promise((resolve) => {
          end = resolve;
        }),
        deliveries: new Set(),
        unrecorded: new Set(),
      };
      sessions.add(session);
      return {
        ready(steer) {
          session.steer = steer;
        },
        async end() {
          sessions.delete(session);
          end(false);
          await answers.catch(() => undefined);
          await Promise.all(session.deliveries);
          for (const record of session.unrecorded) await record();
        },
      };
    },
  };
}

async function commit<T>({ db, log }: Place, work: (tx: Tx) => Promise<T>): Promise<T> {
  const result = await db.transaction(work);
  await log.flush();
  return result;
}

/** Returns the session that a message is for: its task's, or one that takes messages. */
function recipientOf(sessions: readonly Working[], { taskId }: Message): Working | undefined {
  if (taskId !== null) return sessions.find((session) => session.taskId === taskId);
  return (
    sessions.find(({ steer }) => steer) ?? sessions.find(({ steer }) => steer === undefined) ?? sessions[0]
  );
}

function reasonToWait(sessions: readonly Working[], recipient: Working | undefined): RedactedText | null {
  const [first] = sessions;
  if (!first) return redacted`no agent is working`;
  if (!recipient) {
    return sessions.length === 1
      ? columnText(`the agent works on ${first.taskId}`)
      : columnText(`the agents work on ${sessions.map((session) => session.taskId).join(", ")}`);
  }
  return recipient.steer ? null : redacted`the agent does not accept messages while it works`;
}

/** Gives a message to the agent and records its answer; never rejects. What cannot be recorded now is left for the end. */
async function deliver(
  place: Place,
  { id, text }: Message,
  { steer, ended, unrecorded }: Pick<Working, "ended" | "unrecorded"> & { readonly steer: Steer },
): Promise<void> {
  const words = joinSafe([lead.trim(), safeText(text)], "\n\n");
  const taken = await Promise.race([steer(words).catch(() => false), ended]);
  const record = (): Promise<void> =>
    commit(place, async (tx) => {
      const now = place.clock.now();
      if (taken) await endPassing(tx, id, place.runId, now);
      else await returnMessage(tx, id, redacted`the agent ended before it read the message`, now);
    });
  await record().catch(() => unrecorded.add(record));
}
