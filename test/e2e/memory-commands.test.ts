import { afterEach, expect, test } from "vitest";
import { type Practice, practice } from "./practice.ts";

let project: Practice | undefined;
afterEach(() => project?.remove());

const lesson = "The greeting must end with a dot, or the release check refuses it.";

test("LEARN-1, TRUST-4: what is imported waits for approval; an agent can approve, change or purge nothing", async () => {
  project = practice();
  const { id } = (await project.json("memory", "store", lesson)) as { id: string };
  await project.ralph("memory", "export", "memory.jsonl");
  expect((await project.ralph("memory", "purge", id)).code).toBe(2);
  expect((await project.ralph("memory", "purge", id, "--yes")).stdout).toContain("purged 1 learning");
  expect(await project.json("memory", "import", "memory.jsonl")).toMatchObject({
    imported: 1,
    quarantined: 1,
  });
  expect(await project.json("memory", "find", "greeting dot")).toEqual({ success: true, results: [] });
  expect(await project.json("memory", "approve", "--all")).toEqual({ success: true, ids: [id] });
  expect(await project.json("memory", "find", "greeting dot")).toMatchObject({
    results: [{ memory: { id } }],
  });
});

test("LEARN-1: what was too long to be kept whole is said", async () => {
  project = practice();
  const { stdout, stderr } = await project.ralph("memory", "store", "word ".repeat(1000));
  expect(stdout).toContain("stored: l-");
  expect(stderr).toMatch(/warning: .* was truncated/);
  expect((await project.ralph("memory", "store", lesson)).stderr).not.toContain("warning");
});

test("TRUST-7: nothing of an import reaches the terminal as a control, whatever part of it holds one", async () => {
  project = practice();
  const evil = "x\u001b[31m\u009b2J\n";
  const learning = {
    ...{ id: "l-dddddd", category: evil, content: lesson, created_at: "2026-01-01T00:00:00.000Z" },
    ...{ scope: evil, origin: evil, agent: evil, model: evil, run_id: evil, task_id: evil, topic: evil },
    ...{ last_used_at: evil, validated_at: evil, pruned_at: evil, status: "pruned" },
    ...{ derived_from: JSON.stringify([evil]), fixes: JSON.stringify([evil]) },
  };
  const change = {
    number: 1,
    at: evil,
    change: evil,
    changed_by: evil,
    detail: JSON.stringify({ [evil]: evil }),
  };
  const good = {
    ...change,
    number: 2,
    at: "2026-01-01T00:00:00.000Z",
    change: "stored",
    changed_by: "person",
  };
  project.write("odd.jsonl", JSON.stringify({ learning, history: [change, good] }));
  await project.ralph("memory", "import", "odd.jsonl", "--approve");
  for (const words of [
    ["why", "l-dddddd"],
    ["get", "l-dddddd"],
    ["list", "--status", "all"],
  ]) {
    const { code, stdout } = await project.ralph("memory", ...words);
    expect([code, stdout.includes("\u001b"), stdout.includes("\u009b")]).toEqual([0, false, false]);
  }
  const life = (await project.json("memory", "why", "l-dddddd")) as {
    memory: Readonly<Record<string, unknown>>;
    history: readonly { change: string }[];
  };
  expect(life.history.map((one) => one.change)).toEqual(["stored"]);
  expect(life.memory).toMatchObject({ collection: "project", derivedFrom: [], lastUsedAt: null });
  await project.ralph("memory", "restore", "l-dddddd");
  expect((await project.ralph("memory", "find", "greeting dot")).stdout).toContain("l-dddddd");
});

async function said(made: Practice, ...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await made.ralph("memory", ...words);
  return `${code} ${stdout}${stderr}`;
}

test("UX-4: memory commands say what is so, and do nothing twice", async () => {
  project = practice();
  const { id } = (await project.json("memory", "store", lesson, "--category", "pitfall")) as { id: string };
  expect(await said(project, "find", " ")).toMatch(/^2 error: the query is empty/);
  expect(await said(project, "list", "--category", "pitfal")).toContain("did you mean pitfall?");
  expect(await said(project, "restore", id)).toMatch(/^2 error: l-\w+ is active, not archived/);
  expect(await said(project, "approve", id, "--all")).toMatch(/^2 error: .*--all/);

  expect(await said(project, "remove", id)).toContain("archived l-");
  expect(await said(project, "remove", id)).toContain("already archived");
  expect(await said(project, "get", id)).toContain(`hint: run \`ralph memory restore ${id}\` to restore it`);
  expect(await said(project, "validate", id)).toContain(
    `hint: it is pruned and not shown in prompts; run \`ralph memory restore ${id}\``,
  );
  expect(await said(project, "restore", id)).toContain("restored");
  const why = await said(project, "why", id);
  expect(why).toContain("removed by person: was active");
  expect(why.match(/removed by/g)).toHaveLength(1);

  const { results } = (await project.json("memory", "find", "greeting")) as { results: { memory: object }[] };
  const { memory } = (await project.json("memory", "get", id)) as { memory: object };
  expect(memory).toMatchObject({ ...results[0]?.memory });
});

test("LEARN-1: an export to - goes to standard output; an import of nothing is told as that", async () => {
  project = practice();
  await project.json("memory", "store", lesson);
  const { stdout } = await project.ralph("memory", "export", "-");
  expect(stdout.split("\n").filter(Boolean)).toHaveLength(2);
  project.write("../memory.jsonl", stdout);
  project.write("../nothing.jsonl", "\n");
  expect(await said(project, "import", "../memory.jsonl")).toContain("1 already known");
  expect(await said(project, "import", "../nothing.jsonl")).toMatch(/^2 error: .*nothing.jsonl is empty/);
});
