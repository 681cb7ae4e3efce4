import { tailBuffer } from "../../process/tail-buffer.ts";
import {
  defaultStop,
  emptyReading,
  type SessionHost,
  type SessionStream,
  type StreamReader,
} from "../port/session-stream.ts";
import { explainOutput } from "./api-failure.ts";

const keptBytes = 1024 * 1024;

/** More lines in a second are only logged: nobody reads them, and showing them would slow the agent down. */
const maxShownPerSecond = 20;

const hints: StreamReader["hints"] = {
  auth: "Log in to the agent that agents.command.argv starts, then run ralph again.",
  credit: "Add credit or raise the spend limit at the agent's provider, then run ralph again.",
};

/** Any program whose stdout is its final message. */
export const textFormat: StreamReader = {
  open: textStream,
  explain: (words) => explainOutput(words, hints),
  endsWithEvent: false,
  stop: defaultStop,
  hints,
  listsSkills: null,
  env: () => ({}),
};

/** Reads stdout as the final message; only its last MiB if it is longer. Its lines are the agent's activity. */
export function textStream({ onActivity, now }: SessionHost): SessionStream {
  let second = 0;
  let shown = 0;
  const kept = tailBuffer({ headBytes: 0, tailBytes: keptBytes });
  return {
    chunk: (bytes) => kept.push(bytes),
    line(text) {
      if (text.trim() === "") return;
      const current = Math.floor(now().getTime() / 1000);
      shown = current === second ? shown + 1 : 1;
      second = current;
      if (shown <= maxShownPerSecond) onActivity({ kind: "text", text });
    },
    reading() {
      const finalMessage = kept.text();
      return { ...emptyReading, finalMessage, terminal: finalMessage.trim() === "" ? null : "ok" };
    },
  };
}
