import type { JsonObject } from "../../base/json.ts";
import { nearest } from "../../base/nearest.ts";
import type { Permission } from "../../base/shared-settings.ts";
import { apiFailure } from "../formats/api-failure.ts";
import type { AgentError, AgentErrorKind, AgentRequest } from "../port/agent.ts";
import { parseTier } from "../port/tiers.ts";
import type { AcpProgram } from "./programs.ts";
import { choiceOf, modeFor, valueFor } from "./session-options.ts";

/** One session to hold: the agent's program, its request, and what it may do. */
export interface AcpSession {
  readonly program: AcpProgram;
  readonly level: Permission;
  readonly request: AgentRequest;
  /** The MCP servers of the session, as the protocol has them. */
  readonly servers: readonly JsonObject[];
}

type Call = readonly [method: string, params: JsonObject];

interface SessionSettings {
  /** The calls that set mode, model and effort. */
  readonly calls: readonly Call[];
  /** The model that will answer, as far as the agent states it. */
  readonly model: string;
}

/** Returns how to set up an opened session, or why it cannot work as configured. `created`: the answer to `session/new`. */
export function sessionSettings(session: AcpSession, created: JsonObject): SessionSettings | AgentError {
  const mode = modeCalls(session, created);
  if ("kind" in mode) return mode;
  const { model, effort } = parseTier(session.request.model);
  const chosen = modelCalls(session, created, model);
  if ("kind" in chosen) return chosen;
  const efforts = effort === null ? [] : effortCalls(session, created, effort);
  if ("kind" in efforts) return efforts;
  return { calls: [...mode, ...chosen.calls, ...efforts], model: chosen.model };
}

function modeCalls(session: AcpSession, created: JsonObject): readonly Call[] | AgentError {
  const { level, program } = session;
  const mode = choiceOf(created, "mode");
  const wanted = mode && modeFor(level, mode);
  if (mode && wanted) return wanted === mode.current ? [] : [mode.set(wanted)];
  const isSafe = level !== "plan" || program.obeysPlan;
  return isSafe ? [] : unusable(session, "offers no read-only mode, which the permission `plan` needs");
}

function modelCalls(session: AcpSession, created: JsonObject, model: string): SessionSettings | AgentError {
  const models = choiceOf(created, "model");
  if (model === "default") return { calls: [], model: models?.current ?? model };
  if (!models) return problemOf(session, "not_found", `has no setting for its model, so not "${model}"`);
  const value = valueFor(model, models);
  // The older method also takes models that are not listed.
  if (value === null && !models.takesUnlisted) return notOffered(session, ["model", model], models.values);
  return { calls: [models.set(value ?? model)], model: value ?? model };
}

function effortCalls(session: AcpSession, created: JsonObject, effort: string): readonly Call[] | AgentError {
  const efforts = choiceOf(created, "thought_level");
  const value = efforts && valueFor(effort, efforts);
  return value ? [efforts.set(value)] : notOffered(session, ["effort", effort], efforts?.values ?? []);
}

const maxShownValues = 8;

function notOffered(
  session: AcpSession,
  [what, name]: readonly [what: string, name: string],
  values: readonly string[],
): AgentError {
  const meant = nearest(name, values);
  const more = values.length > maxShownValues ? ", …" : "";
  const offers =
    values.length === 0 ? "" : `; it offers ${values.slice(0, maxShownValues).join(", ")}${more}`;
  const stated = meant === undefined ? offers : `; did you mean "${meant}"?`;
  return problemOf(session, "not_found", `does not offer the ${what} "${name}"${stated}`);
}

/** Returns the error of a program that cannot be used as it is configured. */
export function unusable(session: AcpSession, what: string): AgentError {
  return problemOf(session, "unusable", what);
}

function problemOf({ program }: AcpSession, kind: AgentErrorKind, what: string): AgentError {
  const hint = program.hints[kind] ?? `Check agents.${program.name} in the configuration.`;
  return {
    ...apiFailure(`${program.argv[0]} ${what}`, { kind, hints: program.hints, now: new Date() }),
    hint,
  };
}
