import { toCommand, typedCommand, type VerifySetting } from "../../../base/verify-command.ts";
import { detectVerification } from "../../../outcome/detect-verification.ts";
import { storedText } from "../../../trust/stored-text.ts";
import type { Session } from "../../shell/command.ts";
import { usageError } from "../../shell/usage-error.ts";

/** A command that a person accepted or typed, and its source. */
export interface AgreedVerification {
  readonly command: VerifySetting;
  readonly from: string;
}

/**
 * Returns the verification commands: those typed as options, otherwise the detected ones that a person accepts on a
 * terminal or with `--yes` (LOOP-5). On a terminal, a command may be typed instead of an answer.
 *
 * @throws RalphError `RALPH_USAGE` when commands were detected and there is no terminal to ask on
 */
export async function agreeOnVerification(
  session: Session,
  root: string,
  { typed, yes }: { readonly typed: readonly string[]; readonly yes: boolean },
): Promise<readonly AgreedVerification[]> {
  if (typed.length > 0)
    return typed.map((run) => ({ command: typedCommand(run, example), from: "--verify" }));
  const detected = await detectVerification(root);
  if (yes) return detected;
  if (session.canAsk) return ask(session, detected);
  if (detected.length === 0) return [];
  const found = detected.map(({ command, from }) => `${toCommand(command).run} (${from})`).join(", ");
  throw usageError(
    `cannot ask about the detected verification ${found}: no terminal`,
    'run `ralph init --yes` to accept it, or `ralph init --verify "npm test"` to set your own',
  );
}

async function ask(
  session: Session,
  detected: readonly AgreedVerification[],
): Promise<readonly AgreedVerification[]> {
  const agreed: AgreedVerification[] = [];
  for (const proposal of detected) {
    const line = `Verify with \`${toCommand(proposal.command).run}\` (${proposal.from})? [Y/n, or type a command]`;
    const answer = await session.ask(storedText(line));
    if (/^(?:y|yes)?$/i.test(answer)) agreed.push(proposal);
    else if (!/^(?:n|no)$/i.test(answer)) agreed.push(asTyped(answer));
  }
  if (agreed.length > 0) return agreed;
  const answer = await session.ask(
    storedText("Which command verifies the work, such as `npm test`? [type a command, or Enter for none]"),
  );
  return /^(?:n|no|none)?$/i.test(answer) ? [] : [asTyped(answer)];
}

const example =
  'give a command that exits with 0 if the work is correct, such as `ralph init --verify "npm test"`';

function asTyped(run: string): AgreedVerification {
  return { command: { run, timeoutMs: null }, from: "typed" };
}
