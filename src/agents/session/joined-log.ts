import { isAside, type MessagePiece, pieceOf } from "./pieces-of-messages.ts";
import type { RawLog } from "./raw-log.ts";

/** Characters of a message that wait for its end. */
const maxWaiting = 256 * 1024;
/** Characters that still wait when a longer message is written in parts, so that no secret is cut. */
const keptChars = 4 * 1024;
/** Messages that may be open at a time, such as an answer and the thoughts beside it. */
const maxMessages = 8;

interface OpenMessage {
  readonly write: MessagePiece["write"];
  texts: string[];
  length: number;
}

/**
 * Joins the pieces in which agents stream a message to one line before `log` redacts it: in lines of their own, no piece
 * would look like the secret that they form. The line is the first piece's with the whole text. It is written before the
 * next line that may end the message; reports of usage and stderr do not, and are written at once.
 */
export function joinedLog(log: RawLog): RawLog {
  const open = new Map<string, OpenMessage>();
  const flush = (): void => {
    for (const { write, texts } of open.values()) log.line(write(texts.join("")));
    open.clear();
  };
  const add = ({ key, text, write }: MessagePiece): void => {
    if (open.size >= maxMessages && !open.has(key)) flush();
    const message = open.get(key) ?? { write, texts: [], length: 0 };
    open.set(key, message);
    message.texts.push(text);
    message.length += text.length;
    if (message.length > maxWaiting) writeBeginning(message, log);
  };
  return {
    line(line) {
      const piece = pieceOf(line);
      if (piece) return add(piece);
      if (!isAside(line)) flush();
      log.line(line);
    },
    async close() {
      try {
        flush();
      } finally {
        await log.close();
      }
    },
  };
}

/** Writes a message that became too long to wait, but for its last lines or words. */
function writeBeginning(message: OpenMessage, log: RawLog): void {
  const text = message.texts.join("");
  const at = text.length - keptChars;
  // Not within a character of two units.
  const last = /[\uDC00-\uDFFF]/.test(text.charAt(at)) ? at - 1 : at;
  const lineEnd = text.lastIndexOf("\n", last) + 1;
  const end = lineEnd || text.lastIndexOf(" ", last) + 1 || last;
  log.line(message.write(text.slice(0, end)));
  message.texts = [text.slice(end)];
  message.length = text.length - end;
}
