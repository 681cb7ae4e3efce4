import { messageOf } from "../../base/errors.ts";
import { isObject, type JsonObject, shownValue } from "../../base/json.ts";
import type { Permission } from "../../base/shared-settings.ts";
import { jsonRpcClient, type RpcClient, type RpcError } from "../formats/json-rpc-client.ts";
import { kindOfMessage } from "../limits/error-kind.ts";
import type { AgentErrorKind, AgentRequest } from "../port/agent.ts";
import type { OpenStream, SessionHost } from "../port/session-stream.ts";
import { parseTier } from "../port/tiers.ts";
import { codexFailure } from "./codex-failure.ts";
import { decide, threadPolicy } from "./codex-policy.ts";
import { codexRecord } from "./codex-record.ts";

/** A program that does not answer before the turn is not Codex, or hangs; its MCP servers may take a minute to start. */
const setupMs = 120_000;

interface CodexSession {
  readonly level: Permission;
  readonly request: AgentRequest;
  /** True: the agent only answers, and gets no tool that can be withheld. */
  readonly answers: boolean;
}

/** Holds one conversation with `codex app-server`: a thread with one turn. */
export function codexStream(session: CodexSession): OpenStream {
  return (host) => {
    const { request } = session;
    const ids = { thread: "", turn: "" };
    let markBegun: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => {
      markBegun = resolve;
    });
    const beginTurn = (turn: string): void => {
      ids.turn = turn;
      markBegun();
    };
    const record = codexRecord(host, () => host.onFinished());
    const client = jsonRpcClient(host, {
      onRequest: (method, params) => answer(session, record, method, params),
      onNotification(method, params) {
        // The first events of a turn may be read before the answer that names it.
        if (typeof params["turnId"] === "string" && ids.turn === "") beginTurn(params["turnId"]);
        record.notify(method, params);
      },
    });
    const interrupt = (): void => {
      if (ids.turn === "") return;
      void client.call("turn/interrupt", { threadId: ids.thread, turnId: ids.turn });
    };
    return {
      start() {
        request.signal.addEventListener("abort", interrupt, { once: true });
        converse(host, client, { session, record, ids, beginTurn }).catch((error: unknown) =>
          host.fail(
            codexFailure("bad_output", `cannot read an answer of Codex: ${messageOf(error)}`, host.now()),
          ),
        );
      },
      line: client.line,
      async steer(text) {
        // Codex first starts its tool servers, which may take a minute.
        await begun;
        const input = [{ type: "text", text }];
        const params = { threadId: ids.thread, expectedTurnId: ids.turn, input };
        return (await client.call("turn/steer", params)).ok;
      },
      reading: record.reading,
    };
  };
}

type CodexRecord = ReturnType<typeof codexRecord>;

const approvals = ["item/commandExecution/requestApproval", "item/fileChange/requestApproval"];

function answer(
  session: CodexSession,
  record: CodexRecord,
  method: string,
  params: JsonObject,
): JsonObject | null {
  if (approvals.includes(method)) {
    const { decision, denied } = decide(session, method, { ...record.item(params["itemId"]), ...params });
    if (denied !== null) record.deny(denied);
    return { decision };
  }
  if (method === "item/permissions/requestApproval") {
    record.deny(`permissions(${shownValue(params["reason"]) || "?"})`);
    return { permissions: {}, scope: "turn" };
  }
  if (method !== "mcpServer/elicitation/request") return null;
  record.deny(`${shownValue(params["serverName"]) || "server"}(${shownValue(params["message"]) || "?"})`);
  return { action: "decline", content: null, _meta: null };
}

interface Conversation {
  readonly session: CodexSession;
  readonly record: CodexRecord;
  readonly ids: { thread: string; readonly turn: string };
  readonly beginTurn: (turn: string) => void;
}

async function converse(
  host: SessionHost,
  client: RpcClient,
  { session, record, ids, beginTurn }: Conversation,
): Promise<void> {
  const { request, level } = session;
  const end = ({ message }: Pick<RpcError, "message">): void => {
    record.fail(codexFailure(kindOfRefusal(message), message, host.now()));
    host.onFinished();
  };
  const cancelTimer = host.after(setupMs, () =>
    host.fail(codexFailure("unusable", "codex app-server did not answer in 2 minutes", host.now())),
  );
  const begun = await client.call("initialize", {
    clientInfo: { name: "ralph", title: "ralph", version: "1" },
    ...(session.answers && { capabilities: { experimentalApi: true } }),
  });
  if (!begun.ok) return end(begun.error);
  client.notify("initialized", {});

  const { model, effort } = parseTier(request.model);
  const thread = await client.call("thread/start", {
    cwd: request.cwd,
    ...threadPolicy(level, request),
    ...(model !== "default" && { model }),
    // Neither commands nor files.
    ...(session.answers && { environments: [] }),
  });
  if (!thread.ok) return end(thread.error);
  const opened = thread.result["thread"];
  ids.thread = isObject(opened) ? shownValue(opened["id"]) : "";
  record.change({ sessionId: ids.thread, model: shownValue(thread.result["model"]) || model });

  const turn = await client.call("turn/start", {
    threadId: ids.thread,
    input: [{ type: "text", text: request.prompt }],
    ...(effort !== null && { effort }),
  });
  cancelTimer();
  if (!turn.ok) return end(turn.error);
  const started = turn.result["turn"];
  beginTurn(isObject(started) ? shownValue(started["id"]) : "");
}

/** Codex refuses a request that it cannot carry out with words only. */
function kindOfRefusal(message: string): AgentErrorKind {
  if (/too (large|long)|maximum length|exceeds the maximum/i.test(message)) return "prompt_too_long";
  return kindOfMessage(message) ?? "unusable";
}
