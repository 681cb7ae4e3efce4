import { messageOf } from "../../base/errors.ts";
import { isObject, type JsonObject, shownValue } from "../../base/json.ts";
import { jsonRpcClient, type RpcAnswer, type RpcClient } from "../formats/json-rpc-client.ts";
import type { AgentError } from "../port/agent.ts";
import type { OpenStream, SessionHost, SessionStream } from "../port/session-stream.ts";
import { resetIn, rpcFailure, withReset } from "./acp-failure.ts";
import { beginning, openSession, protocolVersion } from "./acp-handshake.ts";
import { answerPermission } from "./acp-permission.ts";
import { acpRecord } from "./acp-record.ts";
import { followFile } from "./follow-file.ts";
import { type AcpSession, sessionSettings, unusable } from "./session-settings.ts";
import { silentRetries } from "./silent-retries.ts";

/** A program that does not answer before the prompt does not speak the protocol, or hangs. */
const setupMs = 120_000;

/** Holds one conversation in the Agent Client Protocol: a session, its settings, one prompt. */
export function acpStream(session: AcpSession): OpenStream {
  return (host) => {
    const { program, request, level } = session;
    const record = acpRecord(host, program);
    let prompting = false;
    let sessionId = "";
    let resetAt: string | null = null;
    const cancel = (): void => {
      if (sessionId !== "") client.notify("session/cancel", { sessionId });
    };
    const retries = silentRetries(host, program, (error) => {
      cancel();
      host.fail(error);
    });
    const client = jsonRpcClient(host, {
      onRequest(method, params) {
        if (method !== "session/request_permission") return null;
        const tool = record.tool(isObject(params["toolCall"]) ? params["toolCall"] : {});
        const { outcome, denied } = answerPermission({ level, request }, tool, params["options"]);
        if (denied !== null) record.deny(denied);
        return outcome;
      },
      onNotification(method, { update }) {
        // Before the prompt, agents report their settings, one of them as a message.
        if (!prompting || method !== "session/update" || !isObject(update)) return;
        if (isWork(update)) {
          retries.progress();
          resetAt = null;
        }
        if (update["sessionUpdate"] === "tool_call") retries.acted();
        record.update(update);
      },
    });
    const stream: SessionStream = {
      start() {
        request.signal.addEventListener("abort", cancel, { once: true });
        const log = program.retryLog(request);
        if (log !== null) followFile(log, host, retries.line);
        converse(host, client, session, {
          record,
          onPrompt(id) {
            sessionId = id;
            prompting = true;
          },
        }).catch((error: unknown) =>
          host.fail(unusable(session, `gave an unreadable answer: ${messageOf(error)}`)),
        );
      },
      line: client.line,
      errorLine(line) {
        resetAt = resetIn(line, host.now()) ?? resetAt;
        retries.line(line);
      },
      reading() {
        const reading = record.reading();
        const failure = retries.explain(withReset(reading.failure, resetAt));
        return { ...reading, failure, retrying: retries.current() };
      },
    };
    return stream;
  };
}

/** Usage and settings are also reported by an agent that only retries. */
function isWork({ sessionUpdate }: JsonObject): boolean {
  return /^agent_|^tool_call|^plan$|^compaction/.test(shownValue(sessionUpdate));
}

interface Conversation {
  readonly record: ReturnType<typeof acpRecord>;
  readonly onPrompt: (sessionId: string) => void;
}

async function converse(
  host: SessionHost,
  client: RpcClient,
  session: AcpSession,
  { record, onPrompt }: Conversation,
): Promise<void> {
  const { program, request } = session;
  const end = (error: AgentError): void => {
    record.fail(error);
    host.onFinished();
  };
  const failed = (answer: RpcAnswer): AgentError | null =>
    answer.ok ? null : rpcFailure(answer.error, program.hints, host.now());
  const cancelTimer = host.after(setupMs, () => host.fail(unusable(session, "did not answer in 2 minutes")));

  const begun = await client.call("initialize", beginning);
  if (!begun.ok) return end(unusable(session, `refused to begin: ${begun.error.message}`));
  if (begun.result["protocolVersion"] !== protocolVersion) {
    const theirs = shownValue(begun.result["protocolVersion"]);
    return end(unusable(session, `speaks version ${theirs} of the protocol; ralph speaks 1`));
  }
  const created = await openSession(client, newSession(session, begun.result), begun.result);
  const noSession = failed(created);
  if (!created.ok || noSession) return end(noSession ?? unusable(session, "opened no session"));
  const sessionId = shownValue(created.result["sessionId"]);
  record.setSession(sessionId);

  const settings = sessionSettings(session, created.result);
  if ("kind" in settings) return end(settings);
  for (const [method, params] of settings.calls) {
    const set = await client.call(method, { sessionId, ...params });
    if (!set.ok) return end(unusable(session, `refused ${JSON.stringify(params)}: ${set.error.message}`));
  }
  record.setModel(settings.model);
  cancelTimer();
  onPrompt(sessionId);
  const prompt = [{ type: "text", text: request.prompt }];
  const answer = await client.call("session/prompt", { sessionId, prompt });
  const error = failed(answer);
  if (error || !answer.ok) return end(error ?? unusable(session, "gave no answer"));
  record.end(answer.result);
  host.onFinished();
}

function newSession({ request, servers }: AcpSession, { agentCapabilities }: JsonObject): JsonObject {
  const { cwd, journal } = request;
  const sessions = isObject(agentCapabilities) ? agentCapabilities["sessionCapabilities"] : undefined;
  const takesFolders = isObject(sessions) && isObject(sessions["additionalDirectories"]);
  const folders = takesFolders && journal ? { additionalDirectories: [journal.folder] } : {};
  return { cwd, mcpServers: servers, ...folders };
}
