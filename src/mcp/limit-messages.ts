import { Transform, type TransformCallback } from "node:stream";
import { type Fault, faultOf, invalidRequest } from "./message-fault.ts";

/** Bytes of one message. */
const maxMessageBytes = 10 * 1024 * 1024;
/** Bytes of each end of a message that is too long, in which its id is looked for. */
const edgeBytes = 4096;

/**
 * Returns a stream that passes on whole lines of up to 10 MB that are messages, and drops others: it calls `refuse` with
 * the answer for each, a JSON-RPC error under the message's id, or under `null` where it has none. Of a line that is too
 * long it keeps only the ends.
 */
export function limitMessages(refuse: (answer: string) => void): Transform {
  let kept: Buffer[] = [];
  let length = 0;
  let tail = Buffer.alloc(0);
  const take = (chunk: Buffer): void => {
    length += chunk.length;
    if (length <= maxMessageBytes) kept.push(chunk);
    else {
      // The beginning and the end of the message are all that is kept of it.
      if (kept.length > 0) kept = [Buffer.concat(kept).subarray(0, edgeBytes)];
      tail = Buffer.concat([tail, chunk]).subarray(-edgeBytes);
    }
  };
  const end = (stream: Transform): void => {
    const line = Buffer.concat(kept);
    const isWhole = length <= maxMessageBytes;
    const fault = isWhole ? faultOf(line) : tooLarge(length);
    if (fault) refuse(answerTo(fault, line, isWhole ? line : tail));
    else stream.push(Buffer.concat([line, Buffer.from("\n")]));
    kept = [];
    length = 0;
    tail = Buffer.alloc(0);
  };
  return new Transform({
    transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
      let rest = chunk;
      for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10)) {
        take(rest.subarray(0, at));
        end(this);
        rest = rest.subarray(at + 1);
      }
      take(rest);
      done();
    },
    flush(done: TransformCallback): void {
      if (length > 0) end(this);
      done();
    },
  });
}

const idFirst = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*("[^"\\]{0,200}"|\d{1,15})\s*,/;
const idLast = /,\s*"id"\s*:\s*("[^"\\]{0,200}"|\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;

function answerTo({ code, message, hasId }: Fault, start: Buffer, end: Buffer): string {
  const first = start.subarray(0, edgeBytes).toString("utf8");
  const id = hasId
    ? (idFirst.exec(first)?.[1] ?? idLast.exec(end.subarray(-edgeBytes).toString("utf8"))?.[1])
    : null;
  return `{"jsonrpc":"2.0","id":${id ?? "null"},"error":${JSON.stringify({ code, message })}}\n`;
}

function tooLarge(bytes: number): Fault {
  const message = `the message is too large: ${bytes} bytes, where at most ${maxMessageBytes} are read`;
  return { code: invalidRequest, message, hasId: true };
}
