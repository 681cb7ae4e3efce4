import { RalphError } from "../../base/errors.ts";
import type { VerifyCommand } from "../../base/verify-command.ts";
import { detectVerification } from "../../outcome/detect-verification.ts";
import { stripControls } from "../../trust/terminal.ts";
import type { Session } from "../shell/command.ts";

/** A command that a person agreed to, and what in the project spoke for it. */
export interface AgreedVerification {
  readonly command: VerifyCommand;
  readonly from: string;
}

/**
 * The commands to verify with: those typed, else those detected that a person agrees to, on a terminal or with
 * `--yes` (LOOP-5).
 *
 * @throws RalphError `RALPH_USAGE` when some were detected and nobody can be asked.
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
    throw new RalphError("RALPH_USAGE", `found ${found} to verify with, and there is no terminal to ask on`, {
      hint: 'ralph init --yes agrees to that; or name your own: ralph init --verify "npm test"',
    });
  }
  const agreed: AgreedVerification[] = [];
  for (const proposal of detected) {
    const question = stripControls(`Verify with \`${proposal.command.run}\` (${proposal.from})?`);
    if (await session.confirm(question, true)) agreed.push(proposal);
  }
  return agreed;
}
