import { messageOf } from "../../base/errors.ts";
import { emptyReading, type Reading, type SessionStream } from "../port/session-stream.ts";

/**
 * Returns `stream` such that nothing an agent writes ends the run: what the stream fails to read is left out. `report`
 * gets the reason, for the raw log.
 */
export function containedStream(stream: SessionStream, report: (why: string) => void): SessionStream {
  const contained =
    <Given>(read: (given: Given) => void) =>
    (given: Given): void =>
      unlessThrown(() => read(given), report);
  const { chunk, line, errorLine, ended } = stream;
  let last: Reading = emptyReading;
  return {
    ...stream,
    ...(chunk && { chunk: contained(chunk) }),
    ...(line && { line: contained(line) }),
    ...(errorLine && { errorLine: contained(errorLine) }),
    ...(ended && { ended: contained(ended) }),
    reading() {
      unlessThrown(() => {
        last = stream.reading();
      }, report);
      return last;
    },
  };
}

function unlessThrown(work: () => void, report: (why: string) => void): void {
  try {
    work();
  } catch (error) {
    report(messageOf(error));
  }
}
