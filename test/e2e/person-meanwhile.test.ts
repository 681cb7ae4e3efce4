import { afterEach, expect, test } from "vitest";
import { finished, type Practice, practice } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

type Phase = "baseline" | "session" | "verification";

/** The acts of a person in another terminal, and what is there in the end. */
const acts: readonly { readonly act: string; is(): unknown; readonly kept: unknown }[] = [
  {
    act: "echo mine >> other.txt; git commit -qm mine other.txt",
    is: () => [project.git("log", "--format=%s", "--", "other.txt"), project.git("show", "HEAD:other.txt")],
    kept: ["mine\nstart", "o\nmine"],
  },
  {
    act: "echo mine >> third.txt; echo mine > new.txt",
    is: () => [project.read("third.txt"), project.read("new.txt")],
    kept: ["t\nmine\n", "mine\n"],
  },
  {
    act: "git config log.date iso; git config --global alias.st status; echo '# mine' >> .ralph/config.yaml",
    is: () => [
      project.git("config", "log.date"),
      project.git("config", "--global", "alias.st"),
      project.read(".ralph/config.yaml").includes("# mine"),
    ],
    kept: ["iso", "status", true],
  },
  {
    act: "sed -i 's/two/two, in red/' tasks.md",
    is: () => [project.read("tasks.md"), project.git("status", "--porcelain", "tasks.md")],
    kept: ["- [x] one\n- [x] two, in red\n", ""],
  },
];

/** The person acts once, when `phase` is at work. */
const script = (phase: Phase, act: string): string =>
  `set -e\n[ "$1" = ${phase} ] && [ ! -e ../acted ] || exit 0\ntouch ../acted\n${act}\n`;

test.each<Phase>(["baseline", "session", "verification"])(
  "LOOP-9 LOOP-18 LOOP-20: a person who commits, edits, changes settings and rewords the list during the %s loses nothing",
  async (phase) => {
    project = practice({ "other.txt": "o\n", "third.txt": "t\n", "tasks.md": "- [ ] one\n- [ ] two\n" });
    project.write("../person.sh", script(phase, acts.map(({ act }) => act).join("\n")));
    const check = "if [ -e src ]; then sh ../person.sh verification; else sh ../person.sh baseline; fi";
    const work = { run: [["sh", "../person.sh", "session"]], write: { "src/{id}.txt": "x\n" } };
    const config = `sandbox: "off"\nverifyBaseline: auto\nverify: [${JSON.stringify(check)}]\n`;
    await project.useWorker({ "*": [work] }, config);
    await project.ralph("task", "import", "tasks.md");
    const { code, events } = await project.run();
    const done = { outcome: "done" };
    expect([code, finished(events)]).toMatchObject([0, [done, done]]);
    expect(acts.map(({ is }) => is())).toEqual(acts.map(({ kept }) => kept));
    expect(project.git("ls-files", "src").split("\n").length).toBe(2);
    const said = finished(events).flatMap(({ warnings }) => warnings as string[]);
    expect(said.filter((warning) => /put back|the agent|took/.test(warning))).toEqual([]);
  },
);
