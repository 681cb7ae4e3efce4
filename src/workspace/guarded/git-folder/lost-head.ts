import { join } from "node:path";
import { RalphError } from "../../../base/errors.ts";
import { git } from "../../git/git.ts";
import { pathKind } from "../../git/paths.ts";
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
 * broke it: git would begin another history, or refuse to work. Without a place for the branch, HEAD is detached. Returns a
 * sentence for each. Starts git only where HEAD moved.
 */
export async function restoreLostHead(
  ws: Workspace,
  { before, last, now, keepIn }: HeadStates,
): Promise<readonly string[]> {
  const stated = commitNamed(now);
  if (stated !== undefined && stated === commitNamed(last)) return [];
  // An agent may have switched to a branch of its own, and deleted the former one.
  const head = [last.head, before].find((one) => commitNamed({ head: one, refs: last.refs }) !== undefined);
  const was = commitNamed({ head: head ?? null, refs: last.refs });
  if (head == null || was === undefined || (await isCommit(ws, stated))) return [];
  const path = join(ws.gitDir, "HEAD");
  const setHead = (text: string): boolean => {
    const base64 = Buffer.from(text, "utf8").toString("base64");
    return restoreFile(path, { kind: "file", base64, mode: 0o644 }, asideOf(ws, path, keepIn));
  };
  const put = setHead(head) ? [`put back HEAD: it named no commit (${(now.head ?? "").trim()})`] : [];
  const ref = refIn(head);
  const { loose, packed } = now.refs;
  if (ref === undefined || (await isCommit(ws, loose.get(ref) ?? packed.get(ref)))) return put;
  const [name, at] = [ref.replace("refs/heads/", ""), was.slice(0, 12)];
  try {
    await putBranch(ws, { ref, was, keepIn });
    return [...put, `put back the branch ${name} at ${at}: it named no commit`];
  } catch (error) {
    // Another branch is in its place, such as `main/x`.
    if (!(error instanceof RalphError)) throw error;
    setHead(`${was}\n`);
    return [`put back HEAD at ${at}, without the branch ${name}, which git does not take: ${error.message}`];
  }
}

interface LostBranch {
  readonly ref: string;
  readonly was: string;
  readonly keepIn: string;
}

async function putBranch(ws: Workspace, { ref, was, keepIn }: LostBranch): Promise<void> {
  const file = join(ws.commonDir, ref);
  // A folder holds other branches.
  if (!pathKind(file)?.isDirectory()) removeAdded(file, asideOf(ws, file, keepIn));
  await git(ws, ["update-ref", "-m", "ralph: put back", "--no-deref", ref, was]);
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
