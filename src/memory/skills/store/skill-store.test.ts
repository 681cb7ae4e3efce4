import { expect, test } from "vitest";
import { openTempStore } from "../../../../test/temp-store.ts";
import { safe } from "../../../base/safe-text.ts";
import type { Skill } from "./skill.ts";
import {
  addProposal,
  decideProposal,
  eraseProposals,
  getProposal,
  getSkill,
  listProposals,
  listTopics,
  type NewProposal,
  putSkill,
  putTopics,
} from "./skill-store.ts";

const now = new Date("2026-03-01T10:00:00.000Z");
const occasion = { runId: "run-1", now };

const draft: NewProposal = {
  name: safe`ios26-learned`,
  category: safe`ios26`,
  kind: "create",
  description: safe`Liquid Glass. Use for ios26.`,
  body: safe`# iOS26 Patterns (Auto-Generated)`,
  tags: [safe`ios26`],
  files: [safe`Views/**`],
  source: { date: "2026-03-01", learningIds: ["l-1"], taskIds: ["UX13"], runIds: ["run-1"] },
  evidenceHash: "h1",
  reason: safe`3 patterns from 2 tasks`,
};
const { kind: _, reason: __, ...content } = draft;
const skill: Skill = {
  ...content,
  status: "active",
  acceptedAt: now.toISOString(),
  updatedAt: now.toISOString(),
  retiredAt: null,
  reason: null,
};

test("SKILL-3: a newer proposal supersedes the pending one of the same name, and no decided one", async () => {
  const db = await openTempStore();
  const [rejected, second, third] = await db.transaction(async (tx) => {
    const first = await addProposal(tx, draft, occasion);
    await decideProposal(tx, first, "rejected", occasion);
    return [first, await addProposal(tx, draft, occasion), await addProposal(tx, draft, occasion)];
  });
  const status = async (id: string | undefined) => (await getProposal(db, id ?? ""))?.status;
  expect(await status(rejected?.id)).toBe("rejected");
  expect(await status(second?.id)).toBe("superseded");
  expect(await listProposals(db, { name: draft.name, status: "pending" })).toEqual([third]);
  expect(third).toMatchObject({ ...draft, runId: "run-1", id: expect.stringMatching(/^sp-[0-9a-f]{6}$/) });
});

test("SKILL-3: skills, proposals and topics are stored as they are", async () => {
  const db = await openTempStore();
  const topic = { category: safe`ios26`, slug: safe`ios26`, evidenceHash: "h", entries: 4, patterns: 3 };
  const at = { updatedAt: now.toISOString() };
  await db.transaction(async (tx) => {
    const first = await addProposal(tx, draft, occasion);
    await decideProposal(tx, first, "accepted", { runId: null, now });
    await putSkill(tx, skill, "accepted", { runId: null, now });
    await putSkill(tx, { ...skill, body: safe`changed` }, "changed", { runId: null, now });
    await addProposal(tx, { ...draft, kind: "retire" }, occasion);
    const gone = await addProposal(tx, { ...draft, name: safe`a-learned` }, occasion);
    await eraseProposals(tx, [gone.id]);
    await putTopics(
      tx,
      [
        { ...topic, ...at },
        { ...topic, ...at, category: safe`b`, slug: safe`b` },
      ],
      [],
    );
    await putTopics(tx, [{ ...topic, ...at, patterns: 4 }], ["b"]);
  });
  expect(await getSkill(db, "ios26-learned")).toMatchObject({ ...content, body: "changed" });
  expect(await listTopics(db)).toEqual([{ ...topic, ...at, patterns: 4 }]);
  expect(await listProposals(db)).toHaveLength(2);
});
