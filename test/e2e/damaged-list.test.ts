import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { variants } from "../test-size.ts";
import { finished, type Practice, practice } from "./practice.ts";

// Changes of an agent to the list of tasks: where none is left to read, the run would end as done, or not at all.

let project: Practice;
afterEach(() => project?.remove());

const markdown = "# Plan\n\n- [ ] One\n- [ ] Two\n  In two steps.\n- [ ] Three\n";
const yaml = `tasks:
  - {id: One, title: One}
  - {id: Two, title: Two, verification: ["test -e two.txt"]}
  - {id: Three, title: Three}
`;

/** Runs the first task, whose agent runs `script` in the project, and returns the warnings. */
async function attacked(file: string, text: string, script: string): Promise<readonly string[]> {
  project = practice({ [file]: text });
  const work = { run: [["sh", "-c", "echo x >> {id}.txt; echo x > two.txt"]] };
  await project.useWorker({ calls: join(project.dir, "../calls"), "*": [work] }, 'verify: ["true"]\n');
  expect((await project.ralph("task", "import", file)).code).toBe(0);
  expect((await project.ralph("trust", "approve", "--yes")).code).toBe(0);
  writeFileSync(join(project.dir, "../attack.sh"), script);
  const attack = { run: [...work.run, ["sh", "../attack.sh"]] };
  project.setScript({ calls: join(project.dir, "../calls"), "*": [attack] });
  const { code, events } = await project.run("--once");
  project.setScript({ calls: join(project.dir, "../calls"), "*": [work] });
  expect(code).toBe(3);
  return finished(events).flatMap(({ warnings }) => (warnings ?? []) as readonly string[]);
}

/** Changes of an agent to the list; the default suite takes the first. */
const attacks: readonly (readonly [file: string, what: string, script: string])[] = [
  ["tasks.md", "removes it", "rm tasks.md"],
  ["tasks.md", "makes it a pipe", "rm tasks.md; mkfifo tasks.md"],
  ["tasks.md", "links it elsewhere", "ln -sf /etc/passwd tasks.md"],
  ["tasks.yaml", "breaks its form", "echo '] [' >> tasks.yaml"],
  ["tasks.md", "replaces it by prose", "echo All is done. > tasks.md"],
  ["tasks.md", "empties it", ": > tasks.md"],
  ["tasks.md", "fills it with bytes", "printf '\\377\\376' > tasks.md"],
  ["tasks.md", "makes it too large", "head -c 11000000 /dev/zero >> tasks.md"],
  ["tasks.md", "links it to nothing", "ln -sf /nothing tasks.md"],
  ["tasks.md", "makes it a folder", "rm tasks.md; mkdir tasks.md; echo > tasks.md/x"],
];

test.each(variants(attacks, 1))(
  "TASK-10 TRUST-9: the list %s is put back when an agent %s, and the next run does all of it",
  async (file, _, script) => {
    const list = file === "tasks.md" ? markdown : yaml;
    const warnings = await attacked(file, list, script);
    expect(warnings).toContainEqual(expect.stringContaining(`put back ${file}: `));
    const ticked = file === "tasks.md" ? list.replace("[ ] One", "[x] One") : /id: One.*completed: true/;
    if (typeof ticked === "string") expect(project.read(file)).toBe(ticked);
    else expect(project.read(file)).toMatch(ticked);
    const { code } = await project.run();
    expect(code).toBe(0);
    const tasks = (await project.json("task", "list")) as readonly { title: string; status: string }[];
    expect(tasks.map(({ title, status }) => `${title} ${status}`).sort()).toEqual([
      "One done",
      "Three done",
      "Two done",
    ]);
    // Each was worked on by an agent.
    expect(readdirSync(project.dir).filter((name) => name.endsWith(".txt")).length).toBeGreaterThanOrEqual(4);
  },
);

test("TASK-10: what an agent adds to the list, and its notes below a task, stay", async () => {
  const added = "- [ ] Four\\n- [ ] Five";
  const script = `sed -i '1a Found by the agent.\\n' tasks.md; sed -i 's/In two steps./In two steps: see two.txt./' tasks.md; printf '%b\\n' '${added}' >> tasks.md`;
  expect(await attacked("tasks.md", markdown, script)).toEqual([]);
  const tasks = "- [x] One\n- [ ] Two\n  In two steps: see two.txt.\n- [ ] Three\n- [ ] Four\n- [ ] Five\n";
  expect(project.read("tasks.md")).toContain(tasks);
});
