import { RalphError } from "../../base/errors.ts";
import type { VerifyCommand } from "../../base/verify-command.ts";
import { detectVerification } from "../../outcome/detect-verification.ts";
import { storedText } from "../../trust/stored-text.ts";
import type { Session } from "../shell/command.ts";

/** A command that a person accepted, and its source in the project. */
export interface AgreedVerification {
  readonly command: VerifyCommand;
  readonly from: string;
}

/**
 * Returns the verification commands: those typed, otherwise the detected ones that a person accepts on a terminal or
 * with `--yes` (LOOP-5).
 *
 * @throws RalphError `RALPH_USAGE` when commands were detected and there is no terminal to ask on
 */
export async function agreeOnVerification(
  session: Session,
  root: string,
  { typed, yes }: { readonly typed: readonly string[]; readonly yes: boolean },
): Promise<readonly AgreedVerification[]> {
  if (typed.length > 0) return typed.map((run) => ({ command: { run, timeoutMs: null }, from: "--verify" }));
  const detected = await detectVerification(root);
  if (yes || detected.length === 0) return detected;
  if (!session.canAsk) {
    const found = detected.map(({ command, from }) => `${command.run} (${from})`).join(", ");
    throw new RalphError("RALPH_USAGE", `cannot ask about the detected verification ${found}: no terminal`, {
      hint: 'run `ralph init --yes` to accept it, or `ralph init --verify "npm test"` to set your own',
    });
  }
  const agreed: AgreedVerification[] = [];
  for (const proposal of detected) {
    const question = storedText(`Verify with \`${proposal.command.run}\` (${proposal.from})?`);
    if (await session.confirm(question, true)) agreed.push(proposal);
  }
  return agreed;
}
