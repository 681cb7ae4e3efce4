import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Practice, practice } from "./practice.ts";

let project: Practice | undefined;
afterEach(() => project?.remove());

test("LEARN-13: `ralph memory when` asks the cheapest model once, without the project, for the learnings that lack it", async () => {
  project = practice();
  const made = project;
  await made.useWorker({}, 'verify: ["true"]\n');
  const answers = `printf '%s %s\\n' "$PWD" "$RALPH_MODEL" >> '${join(made.home, "asked")}'
sed -n 's/^\\(l-[0-9a-f]*\\): Amounts.*/- \\1: When adding a currency/p'
echo 'l-000000: of no learning'`;
  made.write("../asked-model.sh", answers);
  const argv = JSON.stringify(["sh", join(made.dir, "../asked-model.sh")]);
  made.write(".ralph/config.yaml", made.read(".ralph/config.yaml").replace(/argv: \[.*?\]/, `argv: ${argv}`));
  await made.approveConfig();
  await made.answer("memory", "store", "Amounts are integer cents, see Money.");
  await made.answer("memory", "store", "The parser needs UTC, or leap days fail.", "--when", "reading dates");
  const proposed = await made.answer("memory", "when");
  expect(proposed.stdout).toMatch(/^l-[0-9a-f]+ adding a currency\n$/);
  expect(proposed.stderr).toContain("1 proposal for 1 learning that lacked it, 0 stored");
  expect(JSON.parse((await made.answer("memory", "when", "--yes", "--json")).stdout)).toMatchObject({
    stored: 1,
  });
  expect(readFileSync(join(made.home, "asked"), "utf8").trim().split("\n")).toEqual(
    Array(2).fill(expect.stringMatching(/\.ralph\/tmp\/when-[0-9a-f]+ small$/)),
  );
  const listed = JSON.parse((await made.answer("memory", "list", "--json")).stdout);
  expect(JSON.stringify(listed)).toContain('"when":"adding a currency"');
  expect((await made.answer("memory", "when")).stderr).toContain("0 proposals for 0 learnings");
});
