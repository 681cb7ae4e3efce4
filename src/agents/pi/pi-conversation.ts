import type { JsonObject } from "../../base/json.ts";
import type { Permission } from "../../base/shared-settings.ts";
import { clipCopy } from "../../base/text.ts";
import { apiFailure } from "../formats/api-failure.ts";
import { array, number, object, readEvent, text } from "../formats/json-events.ts";
import { piFormat, piStream } from "../formats/pi-stream.ts";
import type { AgentError, AgentRequest } from "../port/agent.ts";
import type { OpenStream, SessionHost } from "../port/session-stream.ts";
import { gateTitle, judgeCall, needsGate } from "./permission-gate.ts";

const maxDenials = 20;
const maxDenialChars = 16 * 1024;

interface PiSession {
  readonly level: Permission;
  readonly request: AgentRequest;
}

/** A person's message that pi has not read. */
interface Unread {
  readonly id: string;
  readonly text: string;
  readonly settle: (taken: boolean) => void;
}

interface Conversation {
  readonly host: SessionHost;
  readonly session: PiSession;
  readonly denials: string[];
  unread: readonly Unread[];
  /** The prompt was refused: nothing will happen. */
  failure: AgentError | null;
  sessionId: string | null;
  contextSize: number | null;
  /** The questions of ralph's extension that no call of a tool has followed yet. */
  asked: number;
  /** pi works, or will call the model again. */
  isBusy: boolean;
}

/**
 * Holds one conversation with `pi --mode rpc`: commands on stdin, and on stdout their answers and the events of
 * `--mode json`. pi does not end by itself: after a failed answer it is asked whether it tries again.
 */
export function piConversation(session: PiSession): OpenStream {
  return (host) => {
    const talk: Conversation = {
      ...{ host, session, denials: [], unread: [], failure: null },
      ...{ sessionId: null, contextSize: null, asked: 0, isBusy: true },
    };
    const events = piStream({ ...host, onFinished: () => finish(talk) });
    const on = handlersOf(talk, () => events.reading().terminal === "failed");
    let messages = 0;
    return {
      ...events,
      start() {
        session.request.signal.addEventListener("abort", () => send(talk, { type: "abort" }), { once: true });
        send(talk, { id: "begin", type: "get_state" });
        send(talk, { id: "prompt", type: "prompt", message: session.request.prompt });
      },
      line(line) {
        events.line?.(line);
        readEvent(line, on);
      },
      steer(message) {
        messages += 1;
        const id = `message-${messages}`;
        return new Promise((settle) => {
          talk.unread = [...talk.unread, { id, text: message, settle }];
          send(talk, { id, type: "steer", message });
        });
      },
      reading() {
        const { failure, sessionId, contextSize, denials } = talk;
        const reading = events.reading();
        return {
          ...reading,
          ...(failure && { terminal: "failed", failure }),
          compactions: reading.compactions ?? 0,
          permissionDenials: denials,
          sessionId,
          contextSize,
        };
      },
    };
  };
}

function send({ host }: Conversation, command: JsonObject): void {
  host.write(`${JSON.stringify(command)}\n`);
}

function finish(talk: Conversation): void {
  for (const { settle } of talk.unread) settle(false);
  talk.unread = [];
  talk.host.onFinished();
}

function handlersOf(
  talk: Conversation,
  hasFailed: () => boolean,
): Readonly<Record<string, (event: JsonObject) => void>> {
  const busy = (): void => {
    talk.isBusy = true;
  };
  const idle = (): void => {
    talk.isBusy = false;
    if (hasFailed()) send(talk, { id: "end", type: "get_state" });
  };
  return {
    agent_start: busy,
    auto_retry_start: busy,
    compaction_start: busy,
    agent_end: idle,
    auto_retry_end: (event) => (event["success"] === true ? busy() : idle()),
    compaction_end: (event) => (event["willRetry"] === true ? busy() : idle()),
    tool_execution_end: (event) => checkAsked(talk, event),
    message_start: (event) => settleRepeated(talk, object(event["message"])),
    extension_ui_request: (event) => answer(talk, event),
    response: (event) => respond(talk, event, hasFailed),
  };
}

function respond(talk: Conversation, event: JsonObject, hasFailed: () => boolean): void {
  const id = text(event["id"]);
  const data = object(event["data"]);
  if (id === "begin") {
    talk.sessionId = text(data["sessionId"]);
    talk.contextSize = number(object(data["model"])["contextWindow"]) || null;
  } else if (id === "prompt" && event["success"] === false) {
    const words = text(event["error"]) ?? "pi refused the prompt";
    talk.failure = apiFailure(words, { hints: piFormat.hints, now: talk.host.now() });
    finish(talk);
  } else if (id === "end") {
    if (!talk.isBusy && data["isStreaming"] !== true && hasFailed()) finish(talk);
  } else if (event["command"] === "steer" && event["success"] === false) {
    settle(talk, (one) => one.id === id, false);
  }
}

/** Settles the messages that the model has just got. */
function settleRepeated(talk: Conversation, message: JsonObject): void {
  if (message["role"] !== "user") return;
  const content = message["content"];
  const parts = array(content).map((part) => text(object(part)["text"]) ?? "");
  const words = text(content) ?? parts.join("");
  settle(talk, (one) => one.text === words, true);
}

function settle(talk: Conversation, isMeant: (one: Unread) => boolean, taken: boolean): void {
  const found = talk.unread.find(isMeant);
  if (!found) return;
  talk.unread = talk.unread.filter((one) => one !== found);
  found.settle(taken);
}

/** Answers a question of an extension. Questions of the person's own extensions are cancelled: nobody can be asked. */
function answer(talk: Conversation, event: JsonObject): void {
  const { session, denials } = talk;
  const isQuestion = ["select", "confirm", "input", "editor"].includes(text(event["method"]) ?? "");
  if (!isQuestion) return;
  const reply = { type: "extension_ui_response", id: event["id"] ?? null };
  if (event["method"] !== "confirm" || event["title"] !== gateTitle) {
    send(talk, { ...reply, cancelled: true });
    return;
  }
  talk.asked += 1;
  const refused = judgeCall(session.level, text(event["message"]) ?? "", session.request);
  const denied = refused && clipCopy(refused, maxDenialChars);
  if (denied !== null && denials.length < maxDenials && !denials.includes(denied)) denials.push(denied);
  send(talk, { ...reply, confirmed: denied === null });
}

/** Ends a session whose tools do not ask: a version of pi that does not call the extension would have no permissions at all. */
function checkAsked(talk: Conversation, event: JsonObject): void {
  const { host, session } = talk;
  if (!needsGate(session.level) || !["bash", "edit", "write"].includes(text(event["toolName"]) ?? "")) return;
  if (event["isError"] !== true && talk.asked === 0) {
    const message = `pi ran ${text(event["toolName"])} without asking ralph`;
    const hint = "Update ralph, or accept that with `agents.pi.permission: bypass`.";
    host.fail({ kind: "unusable", message, resetAt: null, hint });
  }
  talk.asked = Math.max(0, talk.asked - 1);
}
