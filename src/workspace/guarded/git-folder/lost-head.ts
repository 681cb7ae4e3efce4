import { join } from "node:path";
import { git } from "../../git/git.ts";
import { resolveCommit } from "../../git/read-head.ts";
import type { Workspace } from "../../workspace.ts";
import { asideOf } from "../keep-copies.ts";
import { removeAdded, restoreFile } from "../remembered.ts";
import type { Refs } from "./lost-refs.ts";

/** The content of HEAD, null for one that git refuses; and the branches and tags at the same time. */
export interface HeadState {
  readonly head: string | null;
  readonly refs: Refs;
}

interface HeadStates {
  /** The content of HEAD before the agent. */
  readonly before: string | null;
  /** The state that was found to name a commit when it was last looked at. */
  readonly last: HeadState;
  readonly now: HeadState;
  readonly keepIn: string;
}

/**
 * Puts HEAD back where it names no commit, as `git checkout --orphan` leaves it, and then its branch where an agent deleted or
 * broke it: git would begin another history, or refuse to work. Returns a sentence for each. Starts git only where HEAD moved.
 */
export async function restoreLostHead(
  ws: Workspace,
  { before, last, now, keepIn }: HeadStates,
): Promise<readonly string[]> {
  const was = commitNamed({ head: before, refs: last.refs });
  if (before === null || was === undefined) return [];
  const stated = commitNamed(now);
  if (stated !== undefined && stated === commitNamed(last)) return [];
  if (await isCommit(ws, stated)) return [];
  const path = join(ws.gitDir, "HEAD");
  const base64 = Buffer.from(before, "utf8").toString("base64");
  const isRestored = restoreFile(path, { kind: "file", base64, mode: 0o644 }, asideOf(ws, path, keepIn));
  const put = isRestored ? [`put back HEAD: it named no commit (${(now.head ?? "").trim()})`] : [];
  const ref = refIn(before);
  const { loose, packed } = now.refs;
  if (ref === undefined || (await isCommit(ws, loose.get(ref) ?? packed.get(ref)))) return put;
  const file = join(ws.commonDir, ref);
  removeAdded(file, asideOf(ws, file, keepIn));
  await git(ws, ["update-ref", "-m", "ralph: put back", "--no-deref", ref, was]);
  const name = ref.replace("refs/heads/", "");
  return [...put, `put back the branch ${name} at ${was.slice(0, 12)}: it named no commit`];
}

/** Returns true if HEAD leads to a commit, which is `stated` if that is known: a branch may not name a tag. */
async function isCommit(ws: Workspace, stated: string | undefined): Promise<boolean> {
  const found = await resolveCommit(ws, "HEAD");
  return found !== null && (stated === undefined || found === stated);
}

/** Returns the hash that HEAD leads to; undefined if that is not known without git. */
function commitNamed({ head, refs }: HeadState): string | undefined {
  const ref = refIn(head);
  if (ref === undefined) return head?.trim();
  return refs.loose.get(ref) ?? refs.packed.get(ref);
}

function refIn(head: string | null): string | undefined {
  return /^ref: (refs\/\S+)/.exec(head ?? "")?.[1];
}
