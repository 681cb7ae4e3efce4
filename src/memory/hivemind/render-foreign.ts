import { joinSafe, safe } from "../../base/safe-text.ts";
import { clip } from "../../base/text.ts";
import { safeLine } from "../../trust/safe-text.ts";
import type { LeftOut, MemoryItem, Recalled } from "../port/memory-kind.ts";
import type { ForeignHit } from "./find-foreign.ts";
import type { Decision } from "./foreign-use-store.ts";
import lead from "./lead.md";

/** Maximum number of records in a prompt (HIVE-1). */
const maxShown = 3;
const lineChars = 420;
const shortChars = 160;
const dayMs = 86_400_000;

export const foreignSection = "hivemind";

interface ForeignView {
  readonly hits: readonly ForeignHit[];
  readonly decisions: ReadonlyMap<string, Decision>;
  readonly now: Date;
  /** Why a hold-out withholds them; undefined: it does not. */
  readonly withheld: string | undefined;
}

/**
 * Renders the records of other projects that fit a task, each as one line: what was approved or confirmed in this project
 * first, the others last and marked (HIVE-6). Rejected ones are left out.
 */
export function renderForeign({ hits, decisions, now, withheld }: ForeignView): readonly Recalled[] {
  const isTrusted = ({ memory }: ForeignHit): boolean => decisions.has(memory.id);
  const allowed = hits.filter(({ memory }) => decisions.get(memory.id) !== "rejected");
  const ordered = [...allowed.filter(isTrusted), ...allowed.filter((hit) => !isTrusted(hit))];
  const rejected = hits.filter((hit) => !allowed.includes(hit));
  const leftOut: readonly LeftOut[] = [
    ...ordered.slice(maxShown).map(({ memory }) => ({
      id: memory.id,
      reason: `beyond the limit of ${maxShown}: ${clip(memory.content, 80)}`,
    })),
    ...rejected.map(({ memory }) => ({ id: memory.id, reason: "an agent here called it harmful" })),
  ];
  if (ordered.length === 0 && leftOut.length === 0) return [];
  return [
    {
      section: foreignSection,
      heading: safe`## Prior Learnings (from hivemind)`,
      lead: lead.trim(),
      items: ordered.slice(0, maxShown).map((hit) => itemOf(hit, isTrusted(hit), now)),
      isFenced: true,
      tail: safe``,
      drop: "detail",
      leftOut,
      ...(withheld === undefined ? {} : { withheld }),
    },
  ];
}

function itemOf({ memory, score, sameError }: ForeignHit, trusted: boolean, now: Date): MemoryItem {
  const days = Math.max(0, Math.floor((now.getTime() - Date.parse(memory.createdAt)) / dayMs));
  const facts = joinSafe(
    [
      safeLine(memory.id, 20),
      memory.projectName === ""
        ? safe`from outside any project`
        : safe`from project ${safeLine(memory.projectName, 60)}`,
      Number.isFinite(days) && days > 0 ? safe`${days}d ago` : safe`today`,
      ...(sameError ? [safe`same error as your last attempt`] : []),
      ...(trusted ? [] : [safe`not confirmed in this project`]),
    ],
    ", ",
  );
  return {
    id: memory.id,
    text: safe`- ${safeLine(memory.content, lineChars)} (${facts})`,
    short: safe`- ${safeLine(memory.content, shortChars)} (${facts})`,
    score,
    reason: sameError ? "the same error in another project" : "matches by words, from another project",
    label: clip(memory.content, 80),
  };
}
