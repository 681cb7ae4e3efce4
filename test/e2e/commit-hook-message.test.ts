import { execFileSync } from "node:child_process";
import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { variants } from "../test-size.ts";
import { finished, type Practice, practice } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

test.each(variants(["prepare-commit-msg", "commit-msg"], 1))(
  "LOOP-21: a message that a %s hook refuses blocks its task at once, with the way out, and the run continues",
  async (name) => {
    project = practice();
    await project.useWorker({ "*": [{ write: { "src/{id}.txt": "work\n" } }] }, 'verify: ["test -e src"]\n');
    await project.addTasks([
      { id: "one", title: "one" },
      { id: "two", title: "two" },
      { id: "own", title: "own", commitTemplate: "feat: {title}" },
    ]);
    project.write(
      `.git/hooks/${name}`,
      '#!/bin/sh\ngrep -q "^feat: " "$1" || { echo "error: type may not be empty"; exit 1; }\n',
    );
    chmodSync(join(project.dir, ".git/hooks", name), 0o755);
    const { code, events } = await project.run("--max-attempts", "3");
    const ends = finished(events);
    const wayOut = /commit\.template.*"feat: \{title\}".*ralph task retry one/;
    expect([code, ends.length]).toEqual([4, 3]);
    expect(ends[0]).toMatchObject({
      taskStatus: "blocked",
      reason: expect.stringContaining(`the ${name} hook refused the message`),
      hint: expect.stringMatching(wayOut),
    });
    expect(events.at(-1)).toMatchObject({
      tasks: { done: 1, blocked: 2 },
      needs: [{ reason: expect.stringMatching(/commit\.template.*type may not be empty/) }, {}],
    });
    const config = project.read(".ralph/config.yaml");
    project.write(".ralph/config.yaml", `${config}\ncommit: {template: "feat: {title}"}\n`);
    project.git("-c", "core.hooksPath=/dev/null", "commit", "-qam", "settings");
    await project.ralph("task", "retry", "one");
    expect((await project.run("one")).code).toBe(0);
    expect(project.commits()[0]).toBe("feat: one");
  },
);

/** A hook that refuses the messages that ralph writes by default. */
function refuseMessages(): void {
  project.write(
    ".git/hooks/commit-msg",
    '#!/bin/sh\ngrep -q "^feat: " "$1" || { echo "error: type may not be empty"; exit 1; }\n',
  );
  chmodSync(join(project.dir, ".git/hooks/commit-msg"), 0o755);
}

test("LOOP-21: what git needs for a commit is tried before an agent starts: the message, signing, the lock", async () => {
  project = practice();
  const starts = join(project.dir, "../starts");
  await project.useWorker({ starts, "*": [{ write: { "src/{id}.txt": "x" } }] }, 'verify: ["test -e src"]\n');
  await project.addTasks(["one"]);
  refuseMessages();
  const refused = await project.ralph("run");
  expect([refused.code, refused.stderr]).toEqual([
    5,
    expect.stringMatching(
      /the commit-msg hook refuses .*: error: type may not be empty\nhint: set `commit: \{ template: "feat: \{title\}" \}`/,
    ),
  ]);
  const { stdout } = await project.ralph("doctor");
  expect(stdout).toMatch(/! commits .*commit-msg hook refuses/);
  expect((await project.ralph("init")).stderr).toMatch(/warning: the commit-msg hook refuses/);
  project.git("config", "core.hooksPath", "/dev/null");
  project.write("../sign", "#!/bin/sh\necho no key >&2; exit 1\n");
  chmodSync(join(project.dir, "../sign"), 0o755);
  project.git("config", "gpg.program", join(project.dir, "../sign"));
  project.git("config", "commit.gpgsign", "true");
  const unsigned = await project.ralph("run");
  expect([unsigned.code, unsigned.stderr]).toEqual([
    5,
    expect.stringMatching(/git cannot sign commits: .*\n?.*hint: Unlock/s),
  ]);
  expect((await project.ralph("doctor")).stdout).toMatch(/✗ commits .*git cannot sign commits/);
  project.git("config", "--unset", "commit.gpgsign");
  project.write(".git/index.lock", "");
  const locked = await project.ralph("run");
  expect([locked.code, locked.stderr]).toEqual([5, expect.stringMatching(/index\.lock.*\nhint: .*rm '/)]);
  expect(existsSync(starts)).toBe(false);
});

test("LOOP-25: a program that signs and waits is shown, also before the first agent", async () => {
  project = practice();
  await project.useWorker({ "*": [{ write: { "x.txt": "x" } }] }, 'verify: ["test -e x.txt"]\n');
  await project.addTasks(["one"]);
  const [key, sign] = [join(project.dir, "../key"), join(project.dir, "../sign")];
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
  project.write("../sign", '#!/bin/sh\nsleep 2.5; exec ssh-keygen "$@"\n');
  chmodSync(sign, 0o755);
  project.git("config", "gpg.format", "ssh");
  project.git("config", "gpg.ssh.program", sign);
  project.git("config", "user.signingKey", `${key}.pub`);
  project.git("config", "commit.gpgsign", "true");
  const { code, events, stderr } = await project.run();
  expect([stderr, code]).toEqual(["", 0]);
  expect(events.filter(({ type }) => type === "commit.waiting")).toMatchObject([
    { taskId: null, signing: true },
    { taskId: "t-1", signing: true },
  ]);
  expect(project.git("cat-file", "commit", "HEAD")).toContain("gpgsig");
});
