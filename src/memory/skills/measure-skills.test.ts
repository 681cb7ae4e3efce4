import { expect, test } from "vitest";
import { memorySetup } from "../../../test/memory-setup.ts";
import { periods } from "../../../test/temp-memory.ts";
import { openTempStore } from "../../../test/temp-store.ts";
import { safe } from "../../base/safe-text.ts";
import { openMemory } from "../memory.ts";
import { harmIn, measureSkills, measureUses } from "./measure-skills.ts";
import { readSkillStats, tokensSaved } from "./skill-stats.ts";
import type { Skill, SkillUse } from "./store/skill.ts";
import { addProposal, decideProposal, listProposals, putSkill, putTopics } from "./store/skill-store.ts";
import { insertSkillUses } from "./store/skill-use-store.ts";

const start = Date.UTC(2026, 2, 2);
let made = 0;

function use(shown: SkillUse["shown"], verified: boolean | null, more: Partial<SkillUse> = {}): SkillUse {
  made += 1;
  return {
    ...{
      name: safe`ios26-learned`,
      iterationId: `i-${made}`,
      runId: "run-1",
      taskId: `t-${made}`,
      attempt: 1,
    },
    ...{
      shown,
      verified,
      loaded: false,
      tokens: null,
      createdAt: new Date(start + made * 1000).toISOString(),
    },
    ...more,
  };
}

/** One attempt of each side by turns: with the skill it fails, without it passes. */
const harmful = (attempts: number): readonly SkillUse[] =>
  Array.from({ length: attempts }, (_, at) => (at % 2 === 0 ? use("body", false) : use("withheld", true)));

test("SKILL-5: a skill is measured by what was shown, withheld, opened and verified", () => {
  const uses = [
    use("body", true, { loaded: true }),
    use("name", true),
    use("body", true),
    use("body", false),
    use("name", null),
    ...Array.from({ length: 4 }, () => use("withheld", false)),
  ];
  const { difference, ...counts } = measureUses(uses);
  expect(counts).toEqual({
    ...{ shown: 5, inFull: 3, withheld: 4, loaded: 1 },
    ...{ with: { attempts: 4, verified: 3 }, without: { attempts: 4, verified: 0 } },
  });
  expect(difference?.value).toBe(0.75);
  // Newcombe's interval of 3/4 − 0/4, computed by hand: Wilson's are 0.3006 to 0.9544 and 0 to 0.4899.
  expect(difference?.interval.low).toBeCloseTo(0.0852, 3);
  expect(difference?.interval.high).toBeCloseTo(0.9544, 3);
  expect(measureUses(uses.slice(1)).difference).toBeNull();
});

test("SKILL-5: harm is looked for after 10, 20, 40, … judged attempts, and must be certain", () => {
  expect(harmIn(harmful(9))).toBeNull();
  expect(harmIn(harmful(10))?.with).toEqual({ attempts: 5, verified: 0 });
  expect(harmIn(harmful(19))?.with).toEqual({ attempts: 5, verified: 0 });
  const unjudged = Array.from({ length: 10 }, () => use("body", null));
  expect(harmIn([...unjudged, ...harmful(9)])).toBeNull();
  const even = Array.from({ length: 40 }, (_, at) => use(at % 2 === 0 ? "body" : "withheld", at % 4 < 2));
  expect(harmIn(even)).toBeNull();
  const rarelyHeld = Array.from({ length: 20 }, (_, at) => use(at < 17 ? "body" : "withheld", at >= 17));
  expect(harmIn(rarelyHeld)).toBeNull();
});

const skill: Skill = {
  ...{
    name: safe`ios26-learned`,
    category: safe`ios26`,
    description: safe`d`,
    body: safe`b`,
    tags: [],
    files: [],
  },
  ...{ source: { date: "2026-03-01", learningIds: [], taskIds: [], runIds: [] }, evidenceHash: "h1" },
  ...{ status: "active", acceptedAt: "2026-03-01T10:00:00.000Z", updatedAt: "2026-03-01T10:00:00.000Z" },
  ...{ retiredAt: null, reason: null },
};

test("SKILL-5: maintenance proposes once to retire a harmful skill, with the figures; a person's no stands until new harm", async () => {
  const db = await openTempStore();
  const now = new Date(start);
  const occasion = { runId: "run-1", now };
  const memory = openMemory({
    ...memorySetup,
    db,
    maintenance: { ...periods, summarizeAbove: 0 },
  });
  const put = (uses: readonly SkillUse[]) =>
    db.transaction(async (tx) => {
      for (const one of uses) await insertSkillUses(tx, [one]);
    });
  const proposals = async () => {
    await memory.maintain(db, "run-2");
    return (await listProposals(db)).map(({ kind, status, reason }) => [kind, status, reason]);
  };
  const figures = "verified 0 of 5 attempts with it, 5 of 5 without: −100 points (95%: −100 to −39)";
  // A person's skill is measured, but ralph proposes nothing about it.
  await put(harmful(10).map((one) => ({ ...one, name: safe`mine` })));
  expect(await proposals()).toEqual([]);
  await db.transaction((tx) => putSkill(tx, skill, "accepted", occasion));
  await put(harmful(10));
  expect(await proposals()).toEqual([["retire", "pending", figures]]);
  expect(await proposals()).toHaveLength(1);
  const [first] = await listProposals(db);
  if (!first) throw new Error("no proposal");
  const decidedAt = new Date(start + made * 1000);
  await db.transaction((tx) => decideProposal(tx, first, "rejected", { runId: null, now: decidedAt }));
  await put(harmful(9));
  expect(await proposals()).toHaveLength(1);
  await put([use("withheld", true)]);
  expect((await proposals()).map(([, status]) => status).toSorted()).toEqual(["pending", "rejected"]);
  // A new text starts over.
  const changed = { ...skill, body: safe`c`, updatedAt: new Date(start + made * 1000).toISOString() };
  const [second] = await listProposals(db, { status: "pending" });
  if (!second) throw new Error("no proposal");
  await db.transaction(async (tx) => {
    await putSkill(tx, changed, "changed", occasion);
    await decideProposal(tx, second, "superseded", occasion);
  });
  expect(await proposals()).toHaveLength(2);
  expect((await measureSkills(db, null)).map(({ name, shown }) => [name, shown])).toEqual([
    ["ios26-learned", 10],
    ["mine", 5],
  ]);
  expect(await measureSkills(db, new Date(start + 1e9).toISOString())).toEqual([]);
});

test("SKILL-5: saved tokens are those per verified success, from attempts with all or none of their skills", () => {
  const attempt = (shown: SkillUse["shown"], verified: boolean | null, tokens: number | null) =>
    use(shown, verified, { tokens });
  const shown = Array.from({ length: 10 }, () => attempt("body", true, 1000));
  const held = Array.from({ length: 10 }, (_, at) => attempt("withheld", at < 5, 1500));
  expect(tokensSaved([...shown, ...held])).toBe(2000);
  expect(tokensSaved([...shown.slice(1), ...held])).toBeNull();
  expect(tokensSaved([...shown, ...held.map((one) => ({ ...one, verified: false }))])).toBeNull();
  expect(tokensSaved([...shown, ...held.map((one) => ({ ...one, tokens: null }))])).toBeNull();
  expect(tokensSaved([])).toBeNull();
  // Attempts with one skill shown and another withheld belong to neither side.
  const mixed = held.map((one) => ({ ...one, name: safe`other`, shown: "name" }) as const);
  expect(tokensSaved([...shown, ...held, ...mixed])).toBeNull();
});

test("SKILL-5: the metrics object counts records, topics and accepted skills", async () => {
  const db = await openTempStore();
  const now = new Date(start);
  const occasion = { runId: null, now };
  const topic = { evidenceHash: "h", updatedAt: now.toISOString() };
  const { status: _, acceptedAt: _a, updatedAt: _u, retiredAt: _r, ...content } = skill;
  await db.transaction(async (tx) => {
    await putTopics(
      tx,
      [
        { ...topic, category: safe`ios26`, slug: safe`ios26`, entries: 17, patterns: 15 },
        { ...topic, category: safe`async`, slug: safe`async`, entries: 7, patterns: 7 },
      ],
      [],
    );
    await putSkill(tx, skill, "accepted", occasion);
    await putSkill(tx, { ...skill, name: safe`old`, status: "retired" }, "retired", occasion);
    for (const kind of ["create", "change", "change"] as const) {
      const proposal = await addProposal(tx, { ...content, kind, reason: safe`r` }, occasion);
      await decideProposal(tx, proposal, "accepted", occasion);
    }
    await addProposal(tx, { ...content, kind: "change", reason: safe`r` }, occasion);
  });
  expect(await readSkillStats(db)).toEqual({
    selfImprovement: {
      learningsCaptured: 0,
      learningsAggregated: 24,
      skillsGenerated: 2,
      skillsUpdated: 2,
      avgTokensSaved: null,
      patternCategories: { async: 7, ios26: 15 },
    },
  });
});
