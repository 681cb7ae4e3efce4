import type { ConfigValue } from "./config-values.ts";

/** The variables of a configuration by their full names. */
type Groups = ReadonlyMap<string, readonly ConfigValue[]>;

/** The values of one variable before and now. */
interface Sides {
  readonly was: readonly ConfigValue[];
  readonly now: readonly ConfigValue[];
}

/**
 * Returns true if the changed variable may let a fetch or push of a person's do something else than before. Of a remote that was
 * there nothing is changed or added: a fetch into `refs/heads` overwrites and prunes branches, and a push goes where nobody
 * looks. A new remote fetches into its own refs, and a branch without upstream may get one. What is gone leads nowhere.
 */
export function leadsElsewhere({ was, now }: Sides, before: Groups, after: Groups): boolean {
  const [one] = now;
  if (one === undefined) return false;
  const { section, subsection, key } = one;
  if (section === "submodule") return key === "url" && was.length > 0;
  const lastOf = (groups: Groups, name: string): string | undefined =>
    groups.get(`${section}.${subsection}.${name}`)?.at(-1)?.value;
  if (section === "branch") {
    if (!/^(?:remote|merge|pushremote)$/.test(key)) return false;
    const hadUpstream = ["remote", "merge"].some((name) => lastOf(before, name) !== undefined);
    // As `gh pr checkout` writes it.
    const isSame = now.every(({ value }) => value === lastOf(after, "remote"));
    return hadUpstream || (key === "pushremote" && (was.length > 0 || !isSame));
  }
  if (section !== "remote" || !/^(?:url|fetch|push)$/.test(key)) return false;
  const isThere = ([first]: readonly ConfigValue[]): boolean =>
    first?.section === section && first.subsection === subsection;
  if (key === "push" || [...before.values()].some(isThere)) return true;
  return key === "fetch" && !now.every(({ value }) => isOwnFetch(value, subsection));
}

/** Returns true for a refspec by which only the refs of this remote, or tags, are updated. */
function isOwnFetch(refspec: string, remote: string): boolean {
  const [from = "", to] = refspec.replace(/^\+/, "").split(":");
  if (to === undefined || to.startsWith(`refs/remotes/${remote}/`)) return true;
  return to === from && to.startsWith("refs/tags/");
}
