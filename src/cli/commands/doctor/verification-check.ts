import { join } from "node:path";
import { lookAt } from "../../../base/careful-files.ts";
import { oneLine } from "../../../base/text.ts";
import { toCommand, type VerifyCommand } from "../../../base/verify-command.ts";
import { childEnvironment } from "../../../config/environment.ts";
import type { LoadedSettings } from "../../../config/settings.ts";
import { detectSetup } from "../../../outcome/detect-setup.ts";
import { preflight } from "../../../outcome/preflight.ts";
import { detectVerification } from "../../project/detect-verification.ts";
import { type Trial, tryVerification } from "../../project/try-verification.ts";
import type { Project, Session } from "../../shell/command.ts";
import { isApproved } from "../../trust/approval.ts";
import { confinementOf } from "../../trust/confinement.ts";
import { approveHint, type Check, errorCheck, failed, passed, warned } from "./check.ts";

const check = "verification";
const fix = "install or add it, or correct verify in .ralph/config.yaml";

/**
 * Checks that verification is configured, can start (LOOP-21) and passes on the tree as it is. Runs only approved commands,
 * and none during a run.
 */
export async function checkVerification(
  session: Session,
  { root, loaded, isBusy }: Pick<Project, "root" | "loaded"> & { readonly isBusy: boolean },
): Promise<Check> {
  const commands = loaded.settings.verify ?? [];
  if (commands.length === 0) return noVerification(root);
  for (const { run } of commands) {
    const found = await preflight(run, { cwd: root, env: childEnvironment() });
    if (found) return failed({ check, detail: `\`${run}\` cannot be executed: ${found.missing}` }, fix);
  }
  const names = commands.map(({ run }) => oneLine(run)).join(", then ");
  if (!isApproved({ root, loaded }, "verify")) {
    return warned({ check, detail: `${names}: not tried, because it is not approved` }, approveHint);
  }
  if (isBusy) return passed({ check, detail: `${names}: not tried during a run` });
  // A trial would put a folder in its place, as where an agent has planted the link.
  if (lookAt(join(root, ".ralph"))?.isSymbolicLink()) {
    return passed({ check, detail: `${names}: not tried, because .ralph is a symbolic link` });
  }
  try {
    const confinement = await confinementOf({ root, loaded });
    const trials = await tryVerification(session, { root, commands, confinement });
    const tried = toCheck(names, trials);
    return tried.status === "ok" ? (withoutSetup(root, loaded, tried.detail) ?? tried) : tried;
  } catch (error) {
    return errorCheck(check, error);
  }
}

const formHint = "change it in .ralph/config.yaml, so that a failing test fails the command";

function toCheck(names: string, trials: readonly Trial[]): Check {
  const broken = trials.find(({ state }) => state === "cannot-run");
  if (broken) return failed({ check, detail: describe(broken) }, fix);
  const red = trials.filter(({ state }) => state === "failed");
  if (red.length > 0) {
    const hint = "fix it before `ralph run`, which accepts a task only if all of verify passes";
    return warned({ check, detail: red.map(describe).join("; ") }, hint);
  }
  const forms = trials.flatMap(({ warning }) => warning ?? []);
  if (forms.length > 0) return warned({ check, detail: forms.join("; ") }, formHint);
  const [only] = trials;
  const detail = trials.length === 1 && only ? describe(only) : `${names}: ${summary(trials)}`;
  return passed({ check, detail });
}

/** The trial ran in the project, where packages are installed; `verifyGuard: clean` verifies in a separate work tree. */
function withoutSetup(root: string, { settings }: LoadedSettings, detail: string): Check | undefined {
  const { verify, verifyGuard, verifySetup } = settings;
  if (verifyGuard !== "clean" || verifySetup.length > 0) return undefined;
  // `uv run` installs them itself.
  const installsItself = verify?.every(({ run }) => /\buv run\b/.test(run));
  const commands = detectSetup(root, { installed: true }).filter(
    (command) => !(installsItself && command.startsWith("uv ")),
  );
  if (commands.length === 0) return undefined;
  const why = `${detail}; the separate work tree of verifyGuard: clean has no installed dependencies`;
  return warned(
    { check, detail: why },
    `set \`verifySetup: [${commands.join(", ")}]\` in .ralph/config.yaml`,
  );
}

function describe({ run, detail }: Trial): string {
  return `\`${oneLine(run)}\` ${detail}`;
}

function summary(trials: readonly Trial[]): string {
  const unfinished = trials.filter(({ state }) => state === "unfinished");
  return unfinished.length === 0 ? "all passed" : unfinished.map(describe).join("; ");
}

/** Proposes commands that the project's files suggest and that can start. They are not executed: nobody approved them. */
async function noVerification(root: string): Promise<Check> {
  const detail = "none: a task counts as done when the agent says so and changed something";
  const usable: string[] = [];
  for (const { command, from } of await detectVerification(root)) {
    const { run }: VerifyCommand = toCommand(command);
    if (!(await preflight(run, { cwd: root, env: childEnvironment() }))) usable.push(`\`${run}\` (${from})`);
  }
  const hint =
    usable.length === 0
      ? 'set your test command in .ralph/config.yaml, such as `verify: ["npm test"]`'
      : `run \`ralph init\`, or set verify in .ralph/config.yaml; found: ${usable.join(", ")}`;
  return warned({ check, detail }, hint);
}
