import { tailBuffer } from "../../process/tail-buffer.ts";
import { emptyReading, type SessionStream, type StreamListener } from "../session/session-stream.ts";

const keptBytes = 1024 * 1024;

/** More lines in a second are only logged: nobody reads them, and showing them would slow the agent down. */
const maxShownPerSecond = 20;

/** Reads stdout as the final message; only its last MiB if it is longer. Its lines are the agent's activity. */
export function textStream({ onActivity, now }: StreamListener): SessionStream {
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
