import { detectIsolation } from "../../../agents/supervision.ts";
import { RalphError } from "../../../base/errors.ts";
import { toCommand, typedCommand, type VerifySetting } from "../../../base/verify-command.ts";
import { detectSetup } from "../../../outcome/detect-setup.ts";
import { safeText } from "../../../trust/safe-text.ts";
import { detectVerification } from "../../project/detect-verification.ts";
import { type Trial, tryVerification } from "../../project/try-verification.ts";
import type { Session } from "../../shell/command.ts";
import { usageError } from "../../shell/io.ts";

interface Agreed {
  readonly command: VerifySetting;
  readonly from: string;
}

/** An agreed command with its trial. */
export interface TriedVerification extends Agreed {
  readonly trial: Trial;
}

/**
 * Returns the verification commands: those typed as options, otherwise the detected ones that a person accepts on a
 * terminal or with `--yes` (LOOP-5). On a terminal, a command may be typed instead of an answer. Each is run once; one that cannot be
 * executed is not to be written, which is an error where the person cannot type another.
 *
 * @throws RalphError `RALPH_USAGE` when commands were detected and there is no terminal to ask on; `RALPH_VERIFY_CANNOT_RUN`
 */
export async function agreeOnVerification(
  session: Session,
  root: string,
  { verify: typed, yes }: { readonly verify: readonly string[]; readonly yes: boolean },
): Promise<readonly TriedVerification[]> {
  if (typed.length > 0) {
    const agreed = typed.map((run) => ({ command: typedCommand(run, example), from: "--verify" }));
    const tried = await tryAll(session, root, agreed);
    if (!tried.every(isUsable)) throw cannotRun(root, tried);
    return tried;
  }
  const detected = await detectVerification(root);
  if (!yes && !session.canAsk && detected.length > 0) throw cannotAsk(detected);
  const accepted = yes ? detected : await askForEach(session, detected);
  const tried = await tryAll(session, root, accepted);
  if (tried.some(isUsable)) return tried;
  if (!yes && session.canAsk) return [...tried, ...(await askForOther(session, root))];
  if (tried.length > 0) throw cannotRun(root, tried);
  return [];
}

/** Returns false for a command that cannot be executed here. */
export function isUsable({ trial }: TriedVerification): boolean {
  return trial.state !== "cannot-run";
}

async function tryAll(
  session: Session,
  root: string,
  agreed: readonly Agreed[],
): Promise<readonly TriedVerification[]> {
  const confinement = { isolation: await detectIsolation("auto"), sandbox: null };
  const commands = agreed.map(({ command }) => toCommand(command));
  const trials = await tryVerification(session, { root, commands, confinement });
  return agreed.flatMap((one, n) => {
    const trial = trials[n];
    return trial ? [{ ...one, trial }] : [];
  });
}

function cannotAsk(detected: readonly Agreed[]): RalphError {
  const found = detected.map(({ command, from }) => `${toCommand(command).run} (${from})`).join(", ");
  return usageError(
    `cannot ask about the detected verification ${found}: no terminal`,
    'run `ralph init --yes` to accept it, or `ralph init --verify "npm test"` to set your own',
  );
}

function cannotRun(root: string, tried: readonly TriedVerification[]): RalphError {
  const failed = tried.filter((one) => !isUsable(one)).map(({ trial }) => `\`${trial.run}\` ${trial.detail}`);
  const setup = detectSetup(root);
  const install = setup.length > 0 ? `run \`${setup.join(" && ")}\`` : "install or add it";
  return new RalphError("RALPH_VERIFY_CANNOT_RUN", `nothing was written: ${failed.join("; ")}`, {
    hint: `${install}, then run \`ralph init\` again; or give another command with --verify`,
  });
}

async function askForEach(session: Session, detected: readonly Agreed[]): Promise<readonly Agreed[]> {
  const agreed: Agreed[] = [];
  for (const proposal of detected) {
    const line = `Verify with \`${toCommand(proposal.command).run}\` (${proposal.from})? [Y/n, or type a command]`;
    const answer = await session.ask(safeText(line));
    if (/^(?:y|yes)?$/i.test(answer)) agreed.push(proposal);
    else if (!/^(?:n|no)$/i.test(answer)) agreed.push(asTyped(answer));
  }
  return agreed;
}

/** Asks for a command until one can be executed, or none is wanted. */
async function askForOther(session: Session, root: string): Promise<readonly TriedVerification[]> {
  for (;;) {
    const answer = await session.ask(
      safeText("Which command verifies the work, such as `npm test`? [type a command, or Enter for none]"),
    );
    if (/^(?:n|no|none)?$/i.test(answer)) return [];
    const tried = await tryAll(session, root, [asTyped(answer)]);
    if (tried.some(isUsable)) return tried;
    for (const { trial } of tried) session.note(safeText(`\`${trial.run}\` ${trial.detail}`));
  }
}

const example =
  'give a command that exits with 0 if the work is correct, such as `ralph init --verify "npm test"`';

function asTyped(run: string): Agreed {
  return { command: { run, timeoutMs: null }, from: "typed" };
}
