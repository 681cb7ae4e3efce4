import { execFile } from "node:child_process";
import { cpSync, existsSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { afterEach, expect, test } from "vitest";
import { canSandbox } from "../can-sandbox.ts";
import { type Practice, practice } from "./practice.ts";

const root = resolve(import.meta.dirname, "../..");
const own = "node_modules/ralph-remembers";
let project: Practice | undefined;
afterEach(() => project?.remove());

/** A project in which ralph is installed, whose agent plants `payload` in each file of ralph's code. */
async function installed(): Promise<Practice> {
  const made = practice({ "README.md": "# practice\n", ".gitignore": "node_modules\n" });
  project = made;
  made.write(`${own}/README.md`, "");
  for (const name of ["dist", "bin", "package.json"])
    cpSync(join(root, name), join(made.dir, own, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(made.dir, own, "node_modules"));
  const mark = join(dirname(made.dir), "marked");
  made.write(`${own}/README.md`, `require("fs").appendFileSync(${JSON.stringify(mark)}, "ran ");\n`);
  const plant = `for f in ${own}/dist/*.cjs; do cat ${own}/README.md $f > new.js && cat new.js > $f; done; rm new.js`;
  const rename = `mv ${own} node_modules/old && cp -r node_modules/old ${own}; mv node_modules old`;
  await made.useWorker(
    {
      "*": [
        {
          write: { "{id}.txt": "work\n" },
          run: [["sh", "-c", `(${plant}; ${rename}) 2> /dev/null; true`]],
          say: "<task-done>{id}</task-done>",
        },
      ],
    },
    "verify: [test -f README.md]\nsandbox: strict\n",
  );
  await made.addTasks(["First", "Second"]);
  await made.approveConfig();
  return made;
}

interface Ended {
  readonly code: number | null;
  readonly text: string;
  /** Code of the agent ran in ralph. */
  readonly isMarked: boolean;
}

function run({ dir, env }: Practice): Promise<Ended> {
  return new Promise((done) => {
    const child = execFile(
      process.execPath,
      [join(dir, own, "bin/ralph.js"), "run"],
      { cwd: dir, env },
      (_error, stdout, stderr) => {
        const isMarked = existsSync(join(dirname(dir), "marked"));
        done({ code: child.exitCode, text: `${stdout}${stderr}`.replace(/\s+/g, " "), isMarked });
      },
    );
    child.stdin?.end();
  });
}

const code = (made: Practice): string => readFileSync(join(made.dir, own, "dist/start.cjs"), "utf8");

test.runIf(canSandbox)(
  "AGENT-4: a ralph that is installed in the project is read-only in the sandbox",
  async () => {
    const made = await installed();
    const before = code(made);
    expect(await run(made)).toMatchObject({ code: 0, isMarked: false });
    expect(code(made)).toBe(before);
  },
);
