import { randomUUID } from "node:crypto";
import { isObject, parseJson, shownValue } from "../../base/json.ts";
import { claudeStream } from "../formats/claude-stream.ts";
import type { OpenStream } from "../port/session-stream.ts";

/** The flags for which Claude Code reads messages from stdin, and repeats each on stdout when the model gets it. */
export const conversationFlags: readonly string[] = [
  "--input-format",
  "stream-json",
  "--replay-user-messages",
];

/** The time in which Claude Code begins a turn for a message that came with the last result. */
const lateTurnMs = 5000;

/**
 * Holds one session of Claude Code whose input stays open: the prompt is its first message, and a message that comes
 * while it works is read with the result of the running tool. One that comes with the last result begins another turn,
 * and the session ends with that one.
 */
export function claudeConversation(prompt: string): OpenStream {
  return (host) => {
    /** By the message's id: written, but not repeated yet. */
    const unread = new Map<string, () => void>();
    let isFinished = false;
    let lateTimer: (() => void) | null = null;
    const finish = (): void => {
      isFinished = true;
      host.onFinished();
    };
    const stream = claudeStream({
      ...host,
      onFinished() {
        if (unread.size === 0) finish();
        else lateTimer ??= host.after(lateTurnMs, finish);
      },
    });
    const send = (text: string, uuid: string): void => {
      const message = { role: "user", content: [{ type: "text", text }] };
      const line = { type: "user", message, parent_tool_use_id: null, session_id: "", uuid };
      host.write(`${JSON.stringify(line)}\n`);
    };
    const noteReplay = (line: string): void => {
      if (unread.size === 0 || !line.includes('"isReplay"')) return;
      const event = parseJson(line);
      const id = isObject(event) ? shownValue(event["uuid"]) : "";
      unread.get(id)?.();
      unread.delete(id);
      if (unread.size > 0) return;
      lateTimer?.();
      lateTimer = null;
    };
    return {
      ...stream,
      start: () => send(prompt, randomUUID()),
      line(text) {
        noteReplay(text);
        stream.line?.(text);
      },
      steer(text) {
        // After a result nothing may begin but background work, which has its own end.
        if (isFinished || stream.reading().terminal !== null) return Promise.resolve(false);
        const id = randomUUID();
        return new Promise((resolve) => {
          unread.set(id, () => resolve(true));
          send(text, id);
        });
      },
    };
  };
}
