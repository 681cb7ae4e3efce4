import { nameSome } from "../../../base/text.ts";
import type { WorkDone } from "../../../outcome/outcome.ts";
import type { Loop } from "../../loop.ts";
import { linksOutside } from "./links-outside.ts";
import type { ChangesByVerification } from "./run-checks.ts";

interface ComparedWork {
  readonly before: WorkDone;
  /** With what verification changed of other tracked files. */
  readonly after: WorkDone;
  /** The files of the work, or HEAD, that verification changed; null: not compared. */
  readonly rewritten: readonly string[] | null;
}

/**
 * Says where the finished work is not what verification read. Only a warning under `report`, as many projects format in
 * their verification.
 */
export async function otherWork(
  { options: { verifyGuard }, outside, workspace }: Pick<Loop, "options" | "outside" | "workspace">,
  { before, after, rewritten }: ComparedWork,
): Promise<ChangesByVerification> {
  if (verifyGuard === "off") return { warnings: [], failing: [] };
  const known = new Set(before.files);
  const added = after.files.filter((path) => !known.has(path));
  const changed = rewritten === null ? [] : [...new Set([...rewritten, ...added])];
  // A separate work tree holds them as they are committed.
  const beside = verifyGuard === "clean" ? [] : await outside.changes();
  const links = await linksOutside(workspace, after.files);
  const are = links.length === 1 ? "is a link" : "are links";
  const warnings = [
    ...(changed.length > 0
      ? [
          `${nameSome(changed)} changed during verification: the finished work is not what the first command read`,
        ]
      : []),
    ...(links.length > 0
      ? [`${nameSome(links)} ${are} out of the project: what verification read there is not part of the work`]
      : []),
    ...beside,
  ];
  return { warnings, failing: verifyGuard === "report" ? [] : warnings };
}
