import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { storeRecords } from "../../../test/sample-records.ts";
import { acceptProposal, glassRecords, learnedAt, skillProject } from "../../../test/skill-project.ts";
import { openMemoryActions } from "../memory-actions.ts";
import { getSkill, listProposals } from "./store/skill-store.ts";

const more = ["Set a tint on interactive glass", "Call glassEffectUnion for grouped buttons"];

async function purgedProject(runs: readonly string[]) {
  const own = await skillProject();
  const { db, root, learn } = own;
  const extra = more.map((text) => ({ task: "LG9", category: "ios26", successes: [text] }));
  await storeRecords(
    db,
    [...glassRecords, ...extra].map((record, at) => ({ ...record, runId: runs[at] ?? "run-3" })),
  );
  await acceptProposal(own, (await learn()).proposals[0]);
  const recordFiles = { root, recordsDir: ".ralph/learnings", hivemind: null };
  const actions = openMemoryActions({ db, now: () => learnedAt, recordFiles });
  await actions.purge(await actions.planPurge({ ids: [], runId: "run-2" }));
  return own;
}

test("TRUST-4: a purge of a run proposes the change of a skill that has its patterns, and leaves them in no file", async () => {
  const { db, file } = await purgedProject(["run-1", "run-2", "run-1"]);
  const [proposal, ...others] = await listProposals(db);
  expect(others).toEqual([]);
  expect(proposal).toMatchObject({ name: "ios26-learned", kind: "change", status: "pending" });
  expect(proposal?.body).toContain("glassEffectUnion");
  expect(proposal?.body).not.toMatch(/GlassEffectContainer|ultraThinMaterial/);
  const text = await readFile(file("ios26"), "utf8");
  expect(text).toContain("glassEffectUnion");
  expect(text).not.toMatch(/GlassEffectContainer|ultraThinMaterial/);
  // A person decides about the skill itself.
  expect(await getSkill(db, "ios26-learned")).toMatchObject({ status: "active" });
});

test("TRUST-4: a purge of a run proposes to retire a skill whose other evidence is worth none", async () => {
  const { db, learn } = await purgedProject(["run-2", "run-2", "run-2"]);
  expect(await listProposals(db)).toMatchObject([
    { kind: "retire", status: "pending", reason: "its evidence was purged" },
  ]);
  expect(await learn()).toMatchObject({ changed: 0, written: 0, proposals: [] });
});
