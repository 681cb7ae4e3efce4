import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { variants } from "../test-size.ts";
import { type Practice, withTasks } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

const done = { "*": [{ write: { "src/{id}.txt": "x" }, say: "<task-done>{id}</task-done>" }] };
const verify = 'verify: ["sh check.sh", "sh ./check.sh"]\n';

function writeUserFile(text: string): void {
  mkdirSync(join(project.home, "config/ralph"), { recursive: true });
  writeFileSync(join(project.home, "config/ralph/config.yaml"), text);
}

/** A project whose person approved `verify` and all other settings, and then checked out a branch with `change`. */
async function afterCheckout(
  change: (own: string) => string,
): Promise<Awaited<ReturnType<Practice["ralph"]>>> {
  project = await withTasks(done, ["one"], verify);
  project.git("checkout", "-qb", "agents-branch");
  const own = project.read(".ralph/config.yaml");
  const changed = change(own);
  project.write(".ralph/config.yaml", changed);
  project.git("commit", "-qam", "weaken");
  return await project.ralph("run", "--once");
}

test.each<[name: string, change: (own: string) => string, asked: RegExp]>(
  variants(
    [
      [
        "no command",
        (own) => own.replace(verify, "verify: []\n"),
        /verification: no command verifies the work \(and 2 more\)/,
      ],
      [
        "a removed setting",
        (own) => own.replace(verify, ""),
        /verification: without `sh check\.sh`, which you approved \(and 1 more\)/,
      ],
      [
        "one command fewer",
        (own) => own.replace('"sh check.sh", ', ""),
        /verification: without `sh check\.sh`, which you approved$/m,
      ],
      [
        "a command for some files",
        (own) => own.replace('"sh check.sh"', '{ run: sh check.sh, when: "docs/**" }'),
        /verify: sh check\.sh {2}\(for docs\/\*\*\)/,
      ],
      [
        "no guard",
        (own) => `${own}verifyGuard: off\n`,
        /verification: verifyGuard off: changes to what verification reads pass/,
      ],
    ],
    2,
  ),
)("TRUST-5: a branch with %s needs a new approval", async (_name, change, asked) => {
  const refused = await afterCheckout(change);
  expect([refused.code, refused.stderr]).toEqual([5, expect.stringMatching(asked)]);
  expect(await project.json("task", "list")).toMatchObject([{ status: "pending", attempts: 0 }]);
  await project.ralph("trust", "approve", "--yes");
  expect((await project.ralph("run", "--once")).code).toBe(0);
});

test("TRUST-5: another order, a stricter guard and commands of the user's own file need no approval", async () => {
  const { code } = await afterCheckout(
    (own) => `${own.replace(verify, 'verify: ["sh ./check.sh", "sh check.sh"]\n')}verifyGuard: strict\n`,
  );
  expect(code).toBe(0);
  project.write(".ralph/config.yaml", project.read(".ralph/config.yaml").replace(/verify: .*\n/, ""));
  project.git("commit", "-qam", "verified as its user says");
  writeUserFile("verify: [sh check.sh]\n");
  expect((await project.ralph("run")).code).toBe(0);
});

test("TRUST-5: a project's own guard in place of its user's stricter one needs an approval", async () => {
  project = await withTasks(done, ["one"], `${verify}verifyGuard: report\n`);
  writeUserFile("verifyGuard: strict\n");
  const refused = await project.ralph("run", "--once");
  expect([refused.code, refused.stderr]).toEqual([
    5,
    expect.stringContaining("verification: verifyGuard report: instead of your own configuration"),
  ]);
  await project.ralph("trust", "approve", "--yes");
  expect((await project.ralph("run", "--once")).code).toBe(0);
});

test.each<[name: string, before: string, after: string, asked: string]>(
  variants(
    [
      ["guard", "verifyGuard: strict\n", "", "verification: verifyGuard is no longer strict or clean"],
      [
        "guard",
        "verifyGuard: clean\n",
        "verifyGuard: report\n",
        "verification: verifyGuard is no longer strict or clean",
      ],
      [
        "sandbox",
        "sandbox: strict\n",
        "sandbox: auto\n",
        "sandbox: agents are no longer in the strict sandbox",
      ],
    ],
    1,
  ),
)(
  "TRUST-5: a branch without the strict %s that %j set needs a new approval",
  async (_name, before, after, asked) => {
    project = await withTasks(done, ["one"], `${verify}${before}`);
    await project.ralph("trust", "approve", "--yes");
    project.write(".ralph/config.yaml", project.read(".ralph/config.yaml").replace(before, after));
    project.git("commit", "-qam", "weaken");
    const refused = await project.ralph("run", "--once");
    expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining(asked)]);
  },
);
