import { chmodSync, existsSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { hasScreen, onScreen } from "../on-screen.ts";
import { type Practice, practice } from "./practice.ts";
import { query } from "./query.ts";

let project: Practice;
afterEach(() => project?.remove());

const scripts = JSON.stringify({ scripts: { lint: "eslint .", test: "node --test" } });

/** Puts a program called `claude` that tells a version on the PATH of the project. */
function withClaude(made: Practice): Practice {
  made.write("../bin/claude", "#!/bin/sh\necho '2.1.197 (Claude Code)'\n");
  chmodSync(join(made.dir, "../bin/claude"), 0o755);
  const env = { ...made.env, PATH: `${join(made.dir, "../bin")}:${made.env["PATH"]}` };
  return { ...made, env, ralph: (...args) => query(args, { dir: made.dir, env }) };
}

test("UX-1 LOOP-5 TRUST-5: --yes writes the smallest configuration, approves it and names one next command", async () => {
  project = withClaude(practice({ "package.json": scripts, "TODO.md": "# To do\n\n- [ ] first\n" }));
  const { code, stdout, stderr } = await project.ralph("init", "--yes");
  expect(stdout).toContain("claude (");
  expect(stdout).toContain("2.1.197");
  expect(stdout).toMatch(
    /verify {2}not written: npm run lint {2}\(package.json, script "lint"\): cannot be executed: .*eslint.*\n +hint: install or add it/,
  );
  expect(stdout).toMatch(/^ {2}may {5}edit files.* \(permission (?:edit|shell)\)$/m);
  // No command: `>>` on a file without a final newline would extend its last rule.
  expect(stdout).toContain("hint: add the line .ralph-context.json to .gitignore\n");
  expect(stderr).toBe("next: ralph task import TODO.md\n");
  expect(code).toBe(0);
  const settings = project
    .read(".ralph/config.yaml")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  expect(settings).toEqual(["agent: claude", "verify:", '  - "npm test"']);
  expect(project.git("status", "--porcelain", "-uall")).toBe("?? .ralph/config.yaml");
  expect(statSync(join(project.dir, ".ralph")).mode & 0o777).toBe(0o700);
  expect(statSync(join(project.dir, ".ralph/progress.db")).mode & 0o777).toBe(0o600);
  const shown = await project.ralph("trust", "show", "--json");
  expect(JSON.parse(shown.stdout)).toMatchObject([
    { kind: "agent", what: "agents.claude: claude", approved: true },
    { kind: "command", what: "verify: npm test", approved: true },
  ]);
  const imported = await project.ralph("task", "import", "TODO.md");
  expect(imported.code).toBe(0);
  expect((await project.ralph("init")).stderr).toBe("next: ralph run\n");
});

test("LOOP-5: what was detected is not taken without anybody's word, and nothing is written", async () => {
  project = practice({ "package.json": scripts });
  const { code, stderr } = await project.answer("init");
  expect(stderr).toMatch(/detected verification npm run lint .*script "lint".* npm test/);
  expect(stderr).toMatch(/\nhint: run `ralph init --yes`/);
  expect(code).toBe(2);
  expect(existsSync(join(project.dir, ".ralph"))).toBe(false);
});

test("UX-1: init run again changes what its options say and nothing else, approves only that, and makes what is missing", async () => {
  project = practice({ "package.json": scripts, "other.sh": "echo 'error: it is red' >&2\nexit 3\n" });
  const config =
    '# mine\nagent: claude\nagents: { claude: { extraArgs: [--debug] } }\nverify: ["make check"] # old\n';
  project.write(".ralph/config.yaml", config);
  const same = await project.answer("init", "--yes");
  expect([same.code, same.stdout]).toEqual([0, ".ralph/config.yaml exists and was not changed\n"]);
  expect(same.stderr).toBe("next: ralph trust show\n");
  expect(project.read(".ralph/config.yaml")).toBe(config);
  expect(project.read(".ralph/.gitignore")).toContain("!config.yaml");
  expect(existsSync(join(project.dir, ".ralph/progress.db"))).toBe(true);
  rmSync(join(project.dir, ".ralph/.gitignore"));
  const { code, stdout, stderr } = await project.answer("init", "--verify", "sh other.sh");
  expect(project.read(".ralph/.gitignore")).toContain("!config.yaml");
  expect(project.read(".ralph/config.yaml")).toBe(
    config.replace('["make check"]', '\n  - "sh other.sh"').replace("verify: \n", "verify:\n"),
  );
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(
      /^changed \.ralph\/config\.yaml\n {2}verify {2}sh other\.sh {2}\(--verify\): fails: exit code 3: error: it is red\n +hint: fix it/,
    ),
  ]);
  expect(stderr).toBe("next: ralph trust show\n");
  const shown = (await project.json("trust", "show")) as { place: string; approved: boolean }[];
  expect(shown.map(({ place, approved }) => [place, approved])).toEqual([
    ["agents.claude", false],
    ["verify[0]", true],
  ]);
});

test.skipIf(!hasScreen)(
  "UX-1 AGENT-4: without a sandbox init asks whether agents may run any command, and says what it means",
  async () => {
    project = practice({ "a.txt": "" });
    project.write("../home/config/ralph/config.yaml", "sandbox: off\n");
    const { screen } = await onScreen(["init", "--verify", "true", "--agent", "codex"], project, [
      [/May the agent run any command \(the sandbox is off\)\?/, "y"],
      [/Share it\? \[Y\/n\] /, "y"],
    ]);
    expect(screen).toContain("run any command (permission shell)");
    expect(project.read(".ralph/config.yaml")).toContain("agents:\n  codex: { permission: shell }\n");
    project.remove();
    project = practice({ "a.txt": "" });
    project.write("../home/config/ralph/config.yaml", "sandbox: off\n");
    const { stdout } = await project.answer("init", "--yes", "--agent", "codex");
    expect(stdout).toMatch(
      /other commands are refused \(permission edit\)\n +hint: .*agents\.codex\.permission: shell/,
    );
    expect(project.read(".ralph/config.yaml")).not.toContain("permission");
  },
);

test.skipIf(!hasScreen)("UX-1: init takes a command typed at its question, and tries it", async () => {
  project = practice({ "package.json": scripts, "check.sh": "test $1 = --all && touch ../tried\n" });
  const { code, screen } = await onScreen(["init"], project, [
    [
      /Summaries of attempts .* kept for your other projects in .*hivemind\.db, on this\s+machine\. Share it\? \[Y\/n\] /,
      "n",
    ],
    [/Verify with `npm run lint` .*type a command\] /, "n"],
    [/Verify with `npm test` .*type a command\] /, "sh check.sh --all"],
  ]);
  expect(screen).toMatch(/ {2}verify {2}sh check\.sh --all {2}\(typed\): passed in /);
  expect(code).toBe(0);
  expect(existsSync(join(project.dir, "../tried"))).toBe(true);
  expect(project.read(".ralph/config.yaml")).toMatch(
    /^verify:\n {2}- "sh check\.sh --all"\n\nhivemind: \{ store: off \}\n$/m,
  );
  await project.addTasks(["one"]);
  expect((await project.ralph("run", "--once")).stderr).not.toContain("Summaries of attempts");
});

test("LOOP-5: the tests of a monorepo's packages are found, tried and set for their folders", async () => {
  const test = (script: string): string => JSON.stringify({ scripts: { test: script } });
  project = practice({
    "package.json": JSON.stringify({ workspaces: ["packages/*"] }),
    "packages/a/package.json": test("true"),
    "packages/b/package.json": test("no-such-runner"),
  });
  const { code, stdout } = await project.answer("init", "--yes");
  expect(code).toBe(0);
  expect(stdout).toMatch(
    / {2}verify {2}cd packages\/a && npm test {2}\(packages\/a\/package\.json, script "test"\): passed in /,
  );
  expect(stdout).toMatch(/cd packages\/b && npm test .*: cannot be executed: the program "no-such-runner"/);
  expect(project.read(".ralph/config.yaml")).toMatch(
    /^verify:\n {2}- \{ run: "npm test", in: "packages\/a", when: \["packages\/a\/\*\*"\] \}\n$/m,
  );
});

test("LOOP-5 LOOP-21: init writes no command that it saw fail to execute", async () => {
  const manifest = JSON.stringify({ scripts: { test: "no-such-runner" } });
  project = practice({ "package.json": manifest, "package-lock.json": "{}" });
  const lines = [];
  for (const words of [["--yes"], ["--verify", "no-such-program a.js"], ["--verify", "sh missing.sh"]]) {
    const { code, stderr } = await project.answer("init", ...words);
    lines.push([code, ...stderr.split("\n", 2)]);
  }
  const hint = "hint: run `npm ci`, then run `ralph init` again; or give another command with --verify";
  expect(lines).toEqual(
    ["no-such-runner", "no-such-program", "missing.sh"].map((name) => [
      5,
      expect.stringMatching(new RegExp(`^error: nothing was written: .*cannot be executed: .*${name}`)),
      hint,
    ]),
  );
  expect(existsSync(join(project.dir, ".ralph"))).toBe(false);
});

test("UX-1: without any agent it says how to get one and works all the same", async () => {
  project = practice();
  const env = { ...project.env, PATH: "/usr/bin:/bin" };
  const run = (...args: string[]) => query(args, { dir: project.dir, env });
  const { code, stdout, stderr } = await run(
    "init",
    "--verify",
    "false",
    "--verify",
    "test 'slow \"check\"'",
  );
  expect(stdout).toMatch(
    /claude, not installed yet\n +hint: .*npm i -g @anthropic-ai\/claude-code.*agent: command/,
  );
  expect(stderr).toBe('next: ralph task add "title"\n');
  expect(code).toBe(0);
  expect((await run("init", "--agent", "gemini")).stdout).toContain(
    "agents.gemini.program; or use any program",
  );
  const { stdout: shown } = await run("config", "show", "--json");
  const verify = (JSON.parse(shown) as { key: string; value: unknown }[]).find(({ key }) => key === "verify");
  expect(verify?.value).toEqual([
    { run: "false", timeout: "10m" },
    { run: "test 'slow \"check\"'", timeout: "10m" },
  ]);
});

test("UX-1 UX-4: an agent that does not exist, and a folder that is no repository, change nothing", async () => {
  project = practice();
  const wrong = await project.answer("init", "--agent", "cluade");
  expect(wrong.stderr).toMatch(/cluade.*\nhint: .*claude/);
  expect(wrong.code).toBe(2);
  expect(existsSync(join(project.dir, ".ralph"))).toBe(false);
  const outside = await query(["init", "--yes"], { dir: project.home, env: project.env });
  expect(outside.stderr).toMatch(/is not in a git repository.*\nhint: git init/);
  expect(outside.code).toBe(5);
  expect(existsSync(join(project.home, ".ralph"))).toBe(false);
});
