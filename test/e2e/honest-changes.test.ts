import { afterEach, expect, test } from "vitest";
import { variants } from "../test-size.ts";
import { finished, type Practice, practice } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

type Files = Readonly<Record<string, string>>;
type Event = Record<string, unknown> | undefined;

/** Runs a task whose agent does `run` in a project of `files`, which `command` verifies. */
async function attempt(guard: string, files: Files, { command, run }: Record<"command" | "run", string>) {
  project = practice(files);
  const config = `verify: ["${command}"]\nverifyGuard: ${guard}\nlimits: { maxAttempts: 1 }\n`;
  await project.useWorker({ a: [{ write: { "src/a.txt": "x" }, run: [["sh", "-c", run]] }] }, config);
  await project.addTasks([{ id: "a", title: "task a" }]);
  return finished((await project.run()).events)[0] as Event;
}

const own = (name: string, more: Files = {}): string =>
  JSON.stringify({ name, type: "module", scripts: { test: "node --test" }, ...more });
const monorepo = {
  "package.json": JSON.stringify({ workspaces: ["packages/*"] }),
  "packages/a/package.json": own("a"),
  "packages/b/src/x.txt": "x\n",
  "check.sh":
    'for file in packages/*/test.mjs; do node "$file" || exit 1; done\nif [ -e packages/c ]; then test -f packages/c/package.json; fi\n',
};
const adds = (path: string, text: string): string =>
  `mkdir -p ${path} && printf %s '${text}' > ${path}/package.json && touch ${path}/test.mjs packages/a/test.mjs`;

test.each(variants(["strict", "report", "clean"], 1))(
  "LOOP-18: a new package in a new folder is work like any other under %s",
  async (guard) => {
    const run = adds("packages/c", own("c"));
    const done = await attempt(guard, monorepo, { command: "sh check.sh", run });
    expect(done).toMatchObject({ outcome: "done", warnings: [] });
  },
);

test.each(variants(["strict", "clean"], 1))(
  "LOOP-18: a dependency in pyproject.toml is work like any other under %s",
  async (guard) => {
    const files = {
      "pyproject.toml":
        '[project]\nname = "x"\ndependencies = []\n\n[tool.pytest.ini_options]\naddopts = "-q"\n',
      "check.sh": "test -f pyproject.toml\n",
    };
    const run = `sed -i 's/= \\[\\]/= ["attrs"]/' pyproject.toml`;
    const done = await attempt(guard, files, { command: "sh check.sh", run });
    expect(done).toMatchObject({ outcome: "done", warnings: [] });
    expect(project.read("pyproject.toml")).toContain("attrs");
  },
);

test("LOOP-18 FAIL-4: the attempt after one that strict failed is asked to leave verification, or to say what it needs", async () => {
  project = practice({ "tsconfig.json": "{}\n" });
  const loosened = { "src/a.txt": "x", "tsconfig.json": '{ "strict": false }\n' };
  const say = "<task-failed>tsconfig.json has to be less strict</task-failed>";
  await project.useWorker(
    { a: [{ write: loosened }, { say }] },
    'verify: ["echo tsc"]\nverifyGuard: strict\nlimits: { maxAttempts: 2 }\n',
  );
  await project.addTasks([{ id: "a", title: "task a" }]);
  await project.run();
  const { stdout } = await project.answer("prompt", "show", "a");
  expect(stdout).toContain("it failed because it changed what they read. Do the task without that change");
  expect(stdout).toContain("tsconfig.json was changed");
  expect(stdout).not.toContain("take another way");
});
