import type { WorkDone } from "../../../outcome/outcome.ts";
import type { Loop } from "../../loop.ts";
import type { ChangesByVerification } from "./run-checks.ts";

/** More are only counted. */
const maxNamed = 3;

/**
 * Says which files verification rewrote: the finished work is then not what its commands read. `after` is the work with
 * what verification changed of other tracked files. Only a warning under `report`, as many projects format in their
 * verification.
 */
export function otherWork(
  { options: { verifyGuard } }: Pick<Loop, "options">,
  rewritten: readonly string[] | null,
  { before, after }: { readonly before: WorkDone; readonly after: WorkDone },
): ChangesByVerification {
  const known = new Set(before.files);
  const files = [...new Set([...(rewritten ?? []), ...after.files.filter((path) => !known.has(path))])];
  if (rewritten === null || files.length === 0) return { warnings: [], failing: [] };
  const more = files.length > maxNamed ? ` and ${files.length - maxNamed} more` : "";
  const named = `${files.slice(0, maxNamed).join(", ")}${more}`;
  const warnings = [
    `${named} changed during verification: the finished work is not what the first command read`,
  ];
  return { warnings, failing: verifyGuard === "report" ? [] : warnings };
}
