import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { type SafeText, safe } from "../../../base/safe-text.ts";
import { toCommand } from "../../../base/verify-command.ts";
import { safeJson, safeText } from "../../../trust/safe-text.ts";
import type { Trial } from "../../project/try-verification.ts";
import type { Session } from "../../shell/command.ts";
import { isUsable, type TriedVerification } from "./agree-on-verification.ts";
import { type AgreedPermission, describePermission, type FoundAgent } from "./find-agent.ts";

/** The decisions of one `ralph init`. */
export interface InitPlan {
  readonly root: string;
  readonly path: string;
  readonly isNew: boolean;
  /** The text to write; null when the file stays as it is. */
  readonly content: string | null;
  /** Null: not changed. */
  readonly agent: FoundAgent | null;
  /** Of a new configuration. */
  readonly permission?: AgreedPermission;
  readonly verify: readonly TriedVerification[] | null;
}

interface Finished extends InitPlan {
  readonly next: string;
  /** How the models are used, of a new configuration; null: only one is. */
  readonly models: SafeText | null;
}

/** Prints what was written, the result of each verification command's trial, and the next command. */
export function reportInit(session: Session, finished: Finished): void {
  const { root, path, isNew, content, agent, permission, models, next } = finished;
  const verify = finished.verify?.map(checkOf) ?? null;
  if (session.json) {
    session.out(safeJson({ root, config: path, written: content !== null, agent, verify, next }));
    return;
  }
  const name = safeText(relative(session.cwd, path));
  if (content === null) session.out(safe`${name} exists and was not changed`);
  else {
    const lines = [
      `${isNew ? "wrote" : "changed"} ${name}`,
      ...(agent ? describeAgent(agent) : []),
      ...describePermission(permission, agent?.name),
      ...(models === null ? [] : [`  models  ${models}`]),
      ...(verify ? describeChecks(verify) : []),
      ...(isNew && !ignoresContext(root) ? ignoreProposal : []),
    ];
    session.out(safeText(lines.join("\n")));
  }
  session.note(safeText(`next: ${next}`));
}

/**
 * Not written by ralph: a changed file would keep the next run from starting. Not a command with `>>`: where the last line of the
 * file has no newline, it would change that line.
 */
const ignoreProposal = [
  "  ignore  .ralph-context.json, which ralph writes for other programs and never commits",
  "          hint: add the line .ralph-context.json to .gitignore",
];

/** Reads only the project's own file: an unneeded hint does no harm. */
function ignoresContext(root: string): boolean {
  try {
    return /^\/?\.ralph-context\.json\s*$/m.test(readFileSync(join(root, ".gitignore"), "utf8"));
  } catch {
    return false;
  }
}

interface Check {
  readonly run: string;
  readonly from: string;
  readonly written: boolean;
  readonly trial: Pick<Trial, "state" | "detail" | "warning">;
}

function checkOf(one: TriedVerification): Check {
  const { state, detail, warning } = one.trial;
  const { run } = toCommand(one.command);
  return { run, from: one.from, written: isUsable(one), trial: { state, detail, warning } };
}

function describeAgent({ name, probe }: FoundAgent): readonly string[] {
  if (probe?.found) {
    const { program, version, problem } = probe;
    const line = `  agent   ${name} (${[program, version].filter(Boolean).join(" ")})`;
    return problem ? [`${line}: ${problem.detail}`, `          hint: ${problem.hint}`] : [line];
  }
  const hint = probe?.hint ?? "set its program in that file: agents: { command: { argv: [my-agent] } }";
  const other = probe ? "; or use any program with `agent: command`" : "";
  const state = probe ? "not installed yet" : "no program configured yet";
  return [`  agent   ${name}, ${state}`, `          hint: ${hint.replace(/\.$/, "")}${other}`];
}

function describeChecks(verify: readonly Check[]): readonly string[] {
  const lines = verify.flatMap(({ run, from, written, trial }) => {
    const line = `  verify  ${written ? "" : "not written: "}${run}  (${from}): ${trial.detail}`;
    const hint = hints[trial.state] ?? trial.warning;
    return hint === null ? [line] : [line, `          hint: ${hint}`];
  });
  if (verify.some(({ written }) => written)) return lines;
  return [
    ...lines,
    "  verify  none yet: a task counts as done when the agent says so and changed something",
    '          hint: set a command in that file, for example verify: ["npm test"]',
  ];
}

const hints: Readonly<Record<Trial["state"], string | null>> = {
  passed: null,
  unfinished: null,
  failed:
    "fix it before `ralph run`, which accepts a task only if this passes; or run `ralph init --verify COMMAND`",
  "cannot-run": "install or add it, then add the command to `verify` in that file",
};
