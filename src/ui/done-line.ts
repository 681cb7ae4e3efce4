import { joinSafe, type SafeText, safe } from "../base/safe-text.ts";
import type { RunEvents } from "../events/run-events.ts";
import { safeLine } from "../trust/safe-text.ts";
import type { Paint } from "./paint.ts";

/** Returns the line of an attempt that is done. `why`: why the result does not count; null: it does. */
export function doneLine(
  { verification, reason }: RunEvents["iteration.finished"],
  paint: Paint,
  { spent, why }: { readonly spent: SafeText; readonly why: string | null },
): SafeText {
  const isVerified = verification !== "unverified";
  if (why !== null) {
    const lead = paint("warn", isVerified ? "! verified, but" : "! done, but");
    return safe`  ${lead} ${safeLine(why, 400)} ${spent}`;
  }
  const without = safeLine(/^done (without a change: .*)/s.exec(reason)?.[1] ?? "", 400);
  const how = isVerified ? without : paint("warn", "(unverified)");
  return safe`  ${joinSafe([paint("good", "✓ done"), how, spent].filter(Boolean), " ")}`;
}
