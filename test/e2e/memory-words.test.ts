import { afterEach, expect, test } from "vitest";
import { type Practice, practice } from "./practice.ts";

let project: Practice | undefined;

afterEach(() => project?.remove());

const lesson = "The greeting must end with a dot, or the release check refuses it.";

async function said(made: Practice, ...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await made.ralph("memory", ...words);
  return `${code} ${stdout}${stderr}`;
}

test("UX-4: memory commands say what is so, and do nothing twice", async () => {
  const made = practice();
  project = made;
  const { id } = (await made.json("memory", "store", lesson, "--category", "pitfall")) as { id: string };
  expect(await said(made, "find", " ")).toMatch(/^2 error: the query is empty/);
  expect(await said(made, "list", "--category", "pitfal")).toContain("did you mean pitfall?");
  expect(await said(made, "restore", id)).toMatch(/^2 error: l-\w+ is active, not archived/);
  expect(await said(made, "approve", id, "--all")).toMatch(/^2 error: .*--all/);

  expect(await said(made, "remove", id)).toContain("archived l-");
  expect(await said(made, "remove", id)).toContain("already archived");
  expect(await said(made, "get", id)).toContain(`hint: run \`ralph memory restore ${id}\` to restore it`);
  expect(await said(made, "validate", id)).toContain(
    `hint: it is pruned and not shown in prompts; run \`ralph memory restore ${id}\``,
  );
  expect(await said(made, "restore", id)).toContain("restored");
  const why = await said(made, "why", id);
  expect(why).toContain("removed by person: was active");
  expect(why.match(/removed by/g)).toHaveLength(1);

  const { results } = (await made.json("memory", "find", "greeting")) as { results: { memory: object }[] };
  const { memory } = (await made.json("memory", "get", id)) as { memory: object };
  expect(results[0]?.memory).toEqual(memory);
});

test("LEARN-1: an export to - goes to standard output; an import of nothing is told as that", async () => {
  const made = practice();
  project = made;
  await made.json("memory", "store", lesson);
  const { stdout } = await made.ralph("memory", "export", "-");
  expect(stdout.split("\n").filter(Boolean)).toHaveLength(2);
  made.write("../memory.jsonl", stdout);
  made.write("../nothing.jsonl", "\n");
  expect(await said(made, "import", "../memory.jsonl")).toContain("1 already known");
  expect(await said(made, "import", "../nothing.jsonl")).toMatch(/^2 error: .*nothing.jsonl is empty/);
});
