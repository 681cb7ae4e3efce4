import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { copyOf, type Practice, practice } from "../e2e/practice.ts";
import { killRalph } from "./kill-ralph.ts";

// Ralph is killed at its n-th git call while it puts one task's work aside, takes up another's and puts it back.
// Every n: npm run test:crash. The default suite takes a few.
const whole = process.env["RALPH_TEST_KILLS"] !== undefined;
const last = 120;
const numbers = whole ? Array.from({ length: last }, (_, n) => n + 1) : [24];

let tools: string;
let original: Practice;
let project: Practice | undefined;

beforeAll(async () => {
  tools = mkdtempSync(join(tmpdir(), "ralph-tools-"));
  const real = "/usr/bin:/usr/local/bin:/bin";
  const lines = [
    "#!/bin/sh",
    `if [ -f "${tools}/die-at" ]; then`,
    `  echo >> "${tools}/calls"`,
    `  if [ "$(wc -l < "${tools}/calls")" -ge "$(cat "${tools}/die-at")" ]; then rm "${tools}/die-at"; ${killRalph}; exit 1; fi`,
    "fi",
    `PATH="${real}:$PATH" exec "$(PATH="${real}:$PATH" command -v git)" "$@"`,
  ];
  writeFileSync(join(tools, "git"), `${lines.join("\n")}\n`);
  chmodSync(join(tools, "git"), 0o755);
  original = await unfinished();
});
afterEach(() => project?.remove());
afterAll(() => {
  original?.remove();
  rmSync(tools, { recursive: true, force: true });
});

/** t-1 has failed once, with a commit of its own and loose ends; t-2 comes next, then t-1 again. */
async function unfinished(): Promise<Practice> {
  const made = practice({
    "check.sh": "! grep -rqs BROKEN src\n",
    "src/base.txt": "base\n",
    "src/gone.txt": "gone\n",
  });
  const attempt = {
    write: { "src/own.txt": "committed\n" },
    commit: "own",
    run: [["sh", "-c", "echo BROKEN > src/bad.txt; echo more >> src/base.txt; rm -f src/gone.txt"]],
  };
  const script = {
    "t-1": [
      attempt,
      // At first: killed after its agent, the attempt finds its own work.
      {
        run: [
          ["sh", "-c", "[ -f ../seen ] || cat src/own.txt src/bad.txt > ../seen; echo fine > src/bad.txt"],
        ],
      },
    ],
    "*": [{ write: { "src/{id}.txt": "fine\n" } }],
  };
  await made.useWorker(script, 'verify: ["sh check.sh"]\n');
  await made.addTasks(["t-1", "t-2"]);
  await made.run("--once");
  await made.ralph("task", "edit", "t-1", "--priority", "low");
  return made;
}

test.each(numbers)(
  "LOOP-11 LOOP-9: killed at its git call %i, ralph goes on and loses nothing",
  async (number) => {
    project = copyOf(original);
    const { dir } = project;
    const env = { ...project.env, PATH: `${tools}:${project.env["PATH"]}` };
    await project.approveConfig();
    project.write("mine.txt", "mine\n");
    rmSync(join(tools, "calls"), { force: true });
    writeFileSync(join(tools, "die-at"), String(number));
    const { runRalph } = await import("../e2e/practice.ts");
    await runRalph(["run", "--json"], { dir, env });
    const died = !existsSync(join(tools, "die-at"));
    rmSync(join(tools, "die-at"), { force: true });
    const { code, stderr, events } = await project.run();
    expect([stderr, code, events.at(-1)]).toMatchObject(["", 0, { tasks: { done: 2 } }]);
    if (whole && !died) return;
    expect(died).toBe(true);
    expect(
      project
        .commits()
        .filter((subject) => /^t-\d$/.test(subject))
        .sort(),
    ).toEqual(["t-1", "t-2"]);
    expect(project.git("status", "--porcelain")).toBe("?? mine.txt");
    expect([project.read("mine.txt"), readFileSync(join(dir, "../seen"), "utf8")]).toEqual([
      "mine\n",
      "committed\nBROKEN\n",
    ]);
    expect(project.git("show", "HEAD:src/base.txt")).toBe("base\nmore");
  },
);
