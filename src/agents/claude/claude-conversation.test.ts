import { expect, test } from "vitest";
import { silentHost } from "../../../test/fakes/session-host.ts";
import type { SessionStream } from "../port/session-stream.ts";
import { claudeConversation } from "./claude-conversation.ts";

interface Written {
  readonly uuid: string;
  readonly message: { readonly content: readonly { readonly text: string }[] };
}

/** A session of Claude Code that began with the prompt; `timers` are the callbacks that it set. */
function begin() {
  const written: Written[] = [];
  const timers: (() => void)[] = [];
  const seen = { finished: 0 };
  const stream = claudeConversation("Do t-1")(
    silentHost({
      write: (text) => void written.push(JSON.parse(text) as Written),
      onFinished: () => {
        seen.finished += 1;
      },
      after(_ms, callback) {
        timers.push(callback);
        return () => void timers.splice(timers.indexOf(callback), 1);
      },
    }),
  );
  stream.start?.();
  return { stream, written, timers, seen };
}

function hear(stream: SessionStream, ...events: readonly object[]): void {
  for (const event of events) stream.line?.(JSON.stringify(event));
}

const state = (name: string) => ({ type: "system", subtype: "session_state_changed", state: name });
const says = (text: string) => ({ type: "assistant", message: { content: [{ type: "text", text }] } });
const result = (text: string) => ({ type: "result", subtype: "success", is_error: false, result: text });
const repeat = (one: Written | undefined) => ({ type: "user", isReplay: true, uuid: one?.uuid });
const textOf = (one: Written | undefined) => one?.message.content[0]?.text;

test("AGENT-3 AGENT-7: the prompt is the first message; one that comes while it works is taken when it is repeated", async () => {
  const { stream, written, seen } = begin();
  hear(stream, state("running"), repeat(written[0]));
  let taken: boolean | undefined;
  const sent = stream.steer?.("look at b.ts").then((value) => {
    taken = value;
  });
  expect(written.map(textOf)).toEqual(["Do t-1", "look at b.ts"]);
  await Promise.resolve();
  expect(taken).toBeUndefined();
  hear(stream, repeat(written[1]));
  await sent;
  expect(taken).toBe(true);
  hear(stream, says("Done."), result("Done."), state("idle"));
  expect([seen.finished, stream.reading().finalMessage]).toEqual([1, "Done."]);
});

test("AGENT-7: a message that comes with the last result begins another turn, and the session ends with that one", () => {
  const { stream, written, timers, seen } = begin();
  hear(stream, state("running"));
  void stream.steer?.("one more thing");
  hear(stream, says("Done."), result("Done."), state("idle"));
  expect([seen.finished, timers.length]).toEqual([0, 1]);
  hear(stream, state("running"), { type: "system", subtype: "init" }, repeat(written[1]));
  expect([seen.finished, timers.length]).toEqual([0, 0]);
  hear(stream, says("Done, with that."), result("Done, with that."), state("idle"));
  expect([seen.finished, stream.reading().finalMessage]).toEqual([1, "Done, with that."]);
});

test("AGENT-7: a message that is never read does not keep the session open, and none is taken after a result", async () => {
  const { stream, written, timers, seen } = begin();
  hear(stream, state("running"));
  void stream.steer?.("lost");
  hear(stream, says("Done."), result("Done."));
  expect(await stream.steer?.("too late")).toBe(false);
  hear(stream, state("idle"));
  expect(seen.finished).toBe(0);
  for (const callback of timers) callback();
  expect([seen.finished, written.length]).toEqual([1, 2]);
  expect(await stream.steer?.("much too late")).toBe(false);
});
