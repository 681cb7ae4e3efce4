import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { find, type Result, sharingProjects, swarm } from "./swarm-memory.ts";

const { data, project } = sharingProjects();
let outside = "";
beforeEach(() => {
  outside = join(data(), "outside");
  mkdirSync(outside);
});

test("HIVE-5: outside a project the hivemind is the collection, and a script for swarm's JSON runs unchanged", async () => {
  const one = project("ledger");
  const there = (...args: string[]) => swarm(one, ...args, "-C", outside);
  const { id } = (await there("store", "Retry the upload after 429", "--tags", `"ralph",'http'`)) as {
    id: string;
  };
  expect(id).toMatch(/^h-[0-9a-f]{12}$/);
  const { results } = (await there("find", "upload 429", "--limit", "3")) as { results: Result[] };
  expect(results.map(({ memory }) => [memory.id, memory.metadata.tags])).toEqual([[id, ["ralph", "http"]]]);
  expect(await there("get", id)).toMatchObject({
    success: true,
    memory: { id, content: "Retry the upload after 429", collection: "hivemind" },
  });
  expect(await there("validate", id)).toMatchObject({ success: true });
  expect(await there("stats")).toMatchObject({ success: true, stats: { memories: 1, embeddings: 0 } });
  // A git repository that ralph was not used in is not a project either.
  expect((await find(one, "upload"))[0]?.memory.id).toBe(id);
  expect(await swarm(one, "stats")).toMatchObject({ stats: { memories: 1 } });
  const text = await one.answer("memory", "find", "upload", "-C", outside);
  expect(text.stdout).toMatch(new RegExp(`^\\[${id}\\] .*Retry the upload after 429`));
  expect(await there("remove", id)).toMatchObject({ success: true });
  expect(await there("find", "upload")).toEqual({ success: true, results: [] });
  expect(await there("get", id)).toMatchObject({ success: false, error: expect.stringContaining(id) });
  expect(await there("validate", "h-000000000000")).toMatchObject({ success: false });
  expect(await there("remove", id)).toMatchObject({ success: true, removed: false });
  expect(await there("find")).toMatchObject({ success: false });
  expect(await there("lst")).toMatchObject({ success: false });
});

test("HIVE-5: what is stored by hand in the hivemind has no secret, host or path of the project", async () => {
  const one = project("ledger");
  const text = `Log in at https://wiki.corp.internal/x as ada@example.org with ghp_${randomBytes(18).toString("hex")}`;
  const { id } = (await swarm(one, "store", text, "--collection", "hivemind")) as { id: string };
  const { memory } = (await swarm(one, "get", id)) as { memory: { content: string; origin: string } };
  expect(memory.content).not.toMatch(/corp|ada@|ghp_/);
  expect(memory.origin).toBe("ledger");
  expect(await swarm(one, "remove", id)).toMatchObject({ success: true, removed: true });
  const path = "file:///srv/app/key.pem and ~/notes/x";
  const kept = (await swarm(one, "store", `See ${path}`, "-C", outside))["memory"];
  expect(kept).toMatchObject({ content: expect.not.stringMatching(/srv|notes/), origin: null, mark: null });
});

test("HIVE-5: --collection names a part of the project's memory, or the hivemind with what its records have", async () => {
  const one = project("ledger");
  const store = async (...args: string[]): Promise<string> =>
    String((await swarm(one, "store", ...args))["id"]);
  const team = await store(
    "Ask the platform team for keys",
    "--collection",
    "team",
    "--tags",
    `"team", 'keys'`,
  );
  const other = await store("Deploy after four in the afternoon");
  const listed = (await one.json("memory", "list", "--collection", "team")) as Result["memory"][];
  expect(listed.map(({ id, metadata }) => [id, metadata.tags])).toEqual([[team, ["team", "keys"]]]);
  expect(await swarm(one, "get", team, "--collection", "team")).toMatchObject({ memory: { id: team } });
  for (const verb of ["get", "validate", "remove"])
    expect(await swarm(one, verb, other, "--collection", "team")).toMatchObject({
      success: false,
      error: expect.stringContaining(`unknown learning ${other} in the collection team`),
    });
  expect(await swarm(one, "stats")).toMatchObject({ stats: { memories: 2 }, usable: 2 });
  const shared = ["--collection", "hivemind"];
  const long = await one.answer(
    "memory",
    "store",
    `Long ${"word ".repeat(300)}end`,
    ...shared,
    "--tags",
    "long",
  );
  expect(long.stdout).toMatch(/^stored in the hivemind: h-[0-9a-f]{12} Long word/);
  expect(long.stderr).toContain("truncated to 1000 characters");
  const text = async (...args: string[]): Promise<string> =>
    (await one.answer("memory", ...args, ...shared)).stdout;
  expect(await text("list", "--tag", "long")).toMatch(
    /^h-\w{12} {2}Long word .*… \(from this project, today\)$/m,
  );
  expect(await text("list", "--tag", "short")).toBe("");
  expect(await text("stats")).toBe("hivemind  1 record of 1 project\n");
  expect(await text("find", "long words", "--explain")).toMatch(/\n {4}\w+ \d/);
  for (const [verb, ...flags] of [
    ["list", "--status", "active"],
    ["store", "A text", "--category", "pitfall"],
  ])
    expect(await swarm(one, verb ?? "", ...flags, ...shared)).toMatchObject({ code: "RALPH_USAGE" });
});

test("HIVE-5: the lines that swarm exports are imported and wait for approval", async () => {
  const one = project("ledger");
  const line = {
    id: "mem-0123456789abcdef",
    information: "OAuth tokens need a buffer of five minutes before they expire",
    metadata: '{"source":"manual"}',
    tags: 'oauth,"refresh"',
    confidence: 0.9,
    created_at: "2025-12-19T00:00:00Z",
  };
  one.write("memories.jsonl", `${JSON.stringify(line)}\n{"id":"mem-2","created_at":"2025-12-19"}\n`);
  expect(await swarm(one, "import", "memories.jsonl")).toMatchObject({
    imported: 1,
    quarantined: 1,
    problems: [{ line: 2, problem: expect.stringContaining("information") }],
  });
  expect(await find(one, "OAuth tokens")).toEqual([]);
  const [waiting] = (await one.json("memory", "list", "--status", "quarantined")) as { id: string }[];
  expect(waiting).toMatchObject({
    content: line.information,
    metadata: { tags: ["oauth", "refresh"] },
    createdAt: "2025-12-19T00:00:00.000Z",
    provenance: { source: "import" },
  });
  await one.answer("memory", "approve", waiting?.id ?? "");
  expect((await find(one, "oauth,refresh")).map(({ memory }) => memory.content)).toEqual([line.information]);
  expect(await swarm(one, "import", "memories.jsonl")).toMatchObject({ imported: 0, unchanged: 1 });
});
