import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Learned, type LearnRequest, learnSkills } from "../src/memory/skills/learn/learn-skills.ts";
import { decideProposal, putSkill } from "../src/memory/skills/store/skill-store.ts";
import type { Db } from "../src/store/port/db.ts";
import type { SampleRecord } from "./sample-records.ts";
import { openTempStore } from "./temp-store.ts";

/** The time of what the tests aggregate and decide. */
export const learnedAt: Date = new Date("2026-03-02T10:00:00.000Z");

interface SkillProject {
  readonly db: Db;
  readonly root: string;
  readonly learn: (more?: Partial<LearnRequest>) => Promise<Learned>;
  /** Returns the path of a topic's file. */
  readonly file: (slug: string) => string;
}

/** A folder and a store whose records become skills. */
export async function skillProject(): Promise<SkillProject> {
  const db = await openTempStore();
  const root = await mkdtemp(join(tmpdir(), "ralph-skills-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const request: LearnRequest = {
    ...{ db, folder: { root, dir: ".ralph/learnings" }, runId: "run-1", now: learnedAt },
    ...{ forced: false, rewrite: null },
  };
  return {
    db,
    root,
    learn: (more = {}) => learnSkills({ ...request, ...more }),
    file: (slug) => join(root, ".ralph/learnings/aggregated", `${slug}.yaml`),
  };
}

/** Three tasks on Liquid Glass, with a pattern each. */
export const glassRecords: readonly SampleRecord[] = [
  {
    task: "UX13",
    discoveries: ["Use .glassEffect() not .background(.thinMaterial)"],
    tags: ["ios26", "liquid-glass"],
    files: ["ClaudeWatch/Views/Home.swift"],
  },
  {
    task: "LG1",
    successes: ["GlassEffectContainer required for morphing"],
    failures: [
      ["Used .background(.ultraThinMaterial), which is deprecated", "Use .glassEffect() for iOS 26+"],
    ],
    error: "error: 'ultraThinMaterial' was deprecated in iOS 26.0",
    tags: ["ios26", "liquid-glass", "swiftui"],
    files: ["ClaudeWatch/Views/Card.swift"],
  },
  {
    task: "LG2",
    successes: ["@Namespace + glassEffectID for smooth transitions"],
    tags: ["ios26", "swiftui"],
    files: ["ClaudeWatch/Views/Card.swift"],
  },
];

/** Accepts a proposal. */
export async function acceptProposal(
  { db }: SkillProject,
  proposal: Learned["proposals"][number] | undefined,
): Promise<void> {
  if (!proposal) throw new Error("nothing was proposed");
  const at = learnedAt.toISOString();
  const times = { acceptedAt: at, updatedAt: at, retiredAt: null, reason: null };
  await db.transaction(async (tx) => {
    await decideProposal(tx, proposal, "accepted", { runId: null, now: learnedAt });
    await putSkill(tx, { ...proposal, status: "active", ...times }, "accepted", {
      runId: null,
      now: learnedAt,
    });
  });
}
