import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { copyOf, type Practice, practice, verify } from "./practice.ts";
import { find, sharingProjects, swarm } from "./swarm-memory.ts";

const { data, project, keep } = sharingProjects();

/** A project in which one task failed once with a type error and was done then, with the hivemind that knows it. */
let ledger: { readonly data: string; readonly project: Practice };

beforeAll(async () => {
  const shared = mkdtempSync(join(tmpdir(), "ralph-data-"));
  const one = practice({ "check.sh": check }, { XDG_DATA_HOME: shared });
  ledger = { data: shared, project: one };
  one.git("remote", "add", "origin", "git@github.com:me/ledger.git");
  await one.useWorker(fails, verify);
  await one.addTasks(["Convert the dates of the ledger export into numbers"]);
  expect((await one.run()).code).toBe(0);
});
afterAll(() => {
  ledger.project.remove();
  rmSync(ledger.data, { recursive: true, force: true });
});

const fails = {
  "*": [{ write: { "src/dates.ts": "BROKEN {id}\n" } }, { write: { "src/dates.ts": "fixed {id}\n" } }],
};
const check = `grep -q BROKEN src/* 2>/dev/null || exit 0
echo "src/dates.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'."
exit 2
`;

/** A copy of the project that solved its task, and of its hivemind. */
async function solved(): Promise<Practice> {
  cpSync(ledger.data, data(), { recursive: true });
  const one = keep(copyOf(ledger.project, { XDG_DATA_HOME: data() }));
  await one.approveConfig();
  return one;
}

test("HIVE-5: every manual operation of the seed gives what it promises, in a project and in the hivemind", async () => {
  const one = await solved();
  const important = "Important: the auth service requires X";
  for (const where of [["--collection", "hivemind"], []]) {
    // Query learnings for a project.
    const stored = await swarm(one, "store", important, "--tags", "ralph,learning,myproject", ...where);
    expect(stored).toMatchObject({ success: true, id: expect.any(String) });
    const all = await find(one, "ralph", "--limit", "10", ...where);
    expect(all.map(({ memory }) => memory.content)).toContain(important);
    const learnings = await find(one, "ralph,learning", "--limit", "5", ...where);
    expect(learnings.map(({ memory }) => memory.content)).toContain(important);
    expect(learnings.every(({ memory }) => !/^Ralph failure/.test(memory.content))).toBe(true);
    // Query failure patterns.
    const [typeError] = await find(one, "ralph failure type_error", "--limit", "5", ...where);
    expect(typeError?.memory.content).toContain("TS2322");
    const failures = await find(one, "ralph,failure", "--limit", "10", ...where);
    expect(failures.length).toBeGreaterThan(0);
    expect(failures.every(({ memory }) => memory.metadata.tags.includes("failure"))).toBe(true);
    expect(failures.some(({ memory }) => memory.content.includes("TS2322"))).toBe(true);
    // Several words that are not a phrase of the text.
    const [byWords] = await find(one, "X requires service", ...where);
    expect(byWords?.memory).toMatchObject({
      id: stored["id"],
      content: important,
      metadata: { tags: expect.arrayContaining(["ralph", "learning", "myproject"]) },
      collection: expect.any(String),
      createdAt: expect.any(String),
      confidence: expect.any(Number),
    });
    expect(byWords).toMatchObject({ score: expect.any(Number), matchType: "fts" });
  }
}, 120_000);

test("HIVE-5 HIVE-6: get, why and find know a record of another project with its origin, age and mark", async () => {
  await solved();
  const second = project("invoices");
  await swarm(second, "store", "Amounts are in cents", "--tags", "money");
  const [own, foreign] = await find(second, "dates ledger amounts cents", "--limit", "9");
  expect(own?.memory.content).toBe("Amounts are in cents");
  const id = foreign?.memory.id ?? "";
  expect(foreign?.memory).toMatchObject({
    id: expect.stringMatching(/^h-/),
    collection: "hivemind",
    origin: "ledger",
    ageDays: 0,
    mark: "unconfirmed",
  });
  const shown = await second.answer("memory", "get", id);
  expect(shown.stdout).toMatch(/from +project ledger, today/);
  expect(shown.stdout).toMatch(/here +not confirmed in this project/);
  await second.answer("memory", "approve", id);
  expect(await swarm(second, "get", id)).toMatchObject({ memory: { mark: "approved" } });
  expect((await second.answer("memory", "why", id)).stdout).toMatch(/approved by a person/);
  expect(await swarm(second, "why", id)).toMatchObject({ memory: { id }, history: [{ change: "approved" }] });
  const listed = (await second.json("memory", "list", "--collection", "hivemind")) as { id: string }[];
  expect(listed.map((one) => one.id)).toContain(id);
  expect((await second.answer("memory", "find", "dates")).stdout).toMatch(
    /^\[h-\w+\] .*Convert the dates.*from project ledger, today/m,
  );
});
