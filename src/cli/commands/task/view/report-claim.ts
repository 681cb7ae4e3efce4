import { safe } from "../../../../base/safe-text.ts";
import type { ClaimResult } from "../../../../tasks/claim-outcome.ts";
import { storedJson, storedText } from "../../../../trust/stored-text.ts";
import type { Session } from "../../../shell/command.ts";

/** Reports that a verdict was recorded only as a claim (LOOP-4). */
export function reportClaim(session: Session, { id, verdict }: ClaimResult): void {
  const then =
    verdict === "done" ? "ralph verifies it when the agent ends" : "ralph records it when the agent ends";
  if (session.json) session.out(storedJson({ id, claimed: verdict }));
  else session.out(safe`claim recorded: ${storedText(id)} is ${verdict}; ${then}`);
}
