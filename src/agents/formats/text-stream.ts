import { tailBuffer } from "../../process/tail-buffer.ts";
import { emptyReading, type SessionStream } from "../session/session-stream.ts";

const keptBytes = 1024 * 1024;

/** Reads stdout as the final message; only its last MiB if it is longer. */
export function textStream(): SessionStream {
  const kept = tailBuffer({ headBytes: 0, tailBytes: keptBytes });
  return {
    chunk: (bytes) => kept.push(bytes),
    reading() {
      const finalMessage = kept.text();
      return { ...emptyReading, finalMessage, terminal: finalMessage.trim() === "" ? null : "ok" };
    },
  };
}
