import { expect, test } from "vitest";
import { hasLikeTitle } from "../../search/query.ts";
import type { ForeignHit } from "./find-foreign.ts";
import { renderForeign } from "./render-foreign.ts";

const createdAt = "2026-03-01T10:00:00.000Z";
const now = new Date("2026-03-04T10:00:00.000Z");

function hit(n: number, content = `Record ${n}`): ForeignHit {
  const id = `h-${`${n}`.padStart(12, "0")}`;
  const origin = { project: "p-1", projectName: "ledger", signature: null, createdAt, updatedAt: createdAt };
  const memory = { id, type: "success", title: "", content, tags: [], ...origin } as const;
  return { memory, score: 1 / n, sameError: false };
}

const view = (hits: readonly ForeignHit[], decisions: readonly (readonly [string, "confirmed"])[] = []) =>
  renderForeign({ hits, decisions: new Map(decisions), now, withheld: undefined })[0];

test("HIVE-1: three records of other projects at most stand in a prompt, under their heading", () => {
  const shown = view([1, 2, 3, 4, 5].map((n) => hit(n)));
  expect(shown?.heading).toBe("## Prior Learnings (from hivemind)");
  expect(shown?.items.map(({ text }) => text)).toEqual(
    [1, 2, 3].map(
      (n) => `- Record ${n} (h-00000000000${n}, from project ledger, 3d ago, not confirmed in this project)`,
    ),
  );
  expect(shown?.leftOut?.map(({ id, reason }) => [id, reason])).toEqual(
    [4, 5].map((n) => [hit(n).memory.id, `beyond the limit of 3: Record ${n}`]),
  );
});

test("HIVE-1 HIVE-6: what this project confirmed comes first, in the order of the search", () => {
  const hits = [1, 2, 3, 4].map((n) => hit(n));
  const confirmed = [hit(4).memory.id, hit(3).memory.id].map((id) => [id, "confirmed"] as const);
  expect(view(hits, confirmed)?.items.map(({ id }) => id)).toEqual([3, 4, 1].map((n) => hit(n).memory.id));
});

test("HIVE-1: a record is one line of 420 characters, or of 160 where there is little room", () => {
  const item = view([hit(1, "x".repeat(1000))])?.items[0];
  const contentOf = (line = ""): string => line.slice("- ".length, line.indexOf(" (h-"));
  expect(contentOf(item?.text)).toHaveLength(420);
  expect(contentOf(item?.short)).toHaveLength(160);
});

test("HIVE-1: a record fits that shares three words, and half of the shorter title's, with the task", () => {
  const like = (title: string, task: string): boolean => hasLikeTitle(title, task);
  expect(like("Convert ledger dates", "Convert the ledger's dates into numbers")).toBe(true);
  expect(like("Convert ledger", "Convert the ledger's dates into numbers")).toBe(false);
  expect(like("Convert ledger dates beside green apples", "Convert ledger dates into numbers")).toBe(true);
  const sixStems = [
    "Convert ledger dates painting green apples",
    "Convert ledger dates building yellow bridges",
  ];
  expect(like(sixStems[0] ?? "", sixStems[1] ?? "")).toBe(true);
  const shop = "Draw round buttons with shadows";
  expect(like(`Convert ledger dates. ${shop}`, `Convert ledger dates beside seven green apples`)).toBe(false);
});
