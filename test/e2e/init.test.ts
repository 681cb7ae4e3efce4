import { chmodSync, existsSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Practice, practice, runRalph } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

const scripts = JSON.stringify({ scripts: { lint: "eslint .", test: "node --test" } });

/** Puts a program called `claude` that tells a version on the PATH of the project. */
function withClaude(made: Practice): Practice {
  made.write("../bin/claude", "#!/bin/sh\necho '2.1.197 (Claude Code)'\n");
  chmodSync(join(made.dir, "../bin/claude"), 0o755);
  const env = { ...made.env, PATH: `${join(made.dir, "../bin")}:${made.env["PATH"]}` };
  return { ...made, env, ralph: (...args) => runRalph(args, { dir: made.dir, env }) };
}

test("UX-1 LOOP-5 TRUST-5: --yes writes the smallest configuration, approves it and names one next command", async () => {
  project = withClaude(practice({ "package.json": scripts, "TODO.md": "# To do\n\n- [ ] first\n" }));
  const { code, stdout, stderr } = await project.ralph("init", "--yes");
  expect(stdout).toContain("claude (");
  expect(stdout).toContain("2.1.197");
  expect(stdout).toContain('npm run lint  (package.json, script "lint")');
  expect(stderr).toBe("next: ralph task import TODO.md\n");
  expect(code).toBe(0);
  const settings = project
    .read(".ralph/config.yaml")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  expect(settings).toEqual(["agent: claude", "verify:", '  - "npm run lint"', '  - "npm test"']);
  expect(project.git("status", "--porcelain", "-uall")).toBe("?? .ralph/config.yaml");
  expect(statSync(join(project.dir, ".ralph")).mode & 0o777).toBe(0o700);
  expect(statSync(join(project.dir, ".ralph/progress.db")).mode & 0o777).toBe(0o600);
  const shown = await project.ralph("trust", "show", "--json");
  expect(JSON.parse(shown.stdout)).toMatchObject([
    { kind: "agent", what: "agents.claude: claude", approved: true },
    { kind: "command", what: "verify: npm run lint", approved: true },
    { kind: "command", what: "verify: npm test", approved: true },
  ]);
  const imported = await project.ralph("task", "import", "TODO.md");
  expect(imported.code).toBe(0);
  expect((await project.ralph("init")).stderr).toBe("next: ralph run\n");
});

test("LOOP-5: what was detected is not taken without anybody's word, and nothing is written", async () => {
  project = practice({ "package.json": scripts });
  const { code, stderr } = await project.ralph("init");
  expect(stderr).toMatch(/detected verification npm run lint .*script "lint".* npm test/);
  expect(stderr).toMatch(/\nhint: run `ralph init --yes`/);
  expect(code).toBe(2);
  expect(existsSync(join(project.dir, ".ralph"))).toBe(false);
});

test("UX-1: a configuration that is there stays, unapproved, and what is missing is made", async () => {
  project = practice({ "package.json": scripts });
  const config = 'agent: claude\nverify: ["make check"]\n';
  project.write(".ralph/config.yaml", config);
  const { code, stdout, stderr } = await project.ralph("init", "--yes", "--verify", "true");
  expect(code).toBe(0);
  expect(stdout).toBe(".ralph/config.yaml exists and was not changed\n");
  expect(stderr).toBe("next: ralph trust show\n");
  expect(project.read(".ralph/config.yaml")).toBe(config);
  expect(project.read(".ralph/.gitignore")).toContain("!config.yaml");
  expect(existsSync(join(project.dir, ".ralph/progress.db"))).toBe(true);
  rmSync(join(project.dir, ".ralph/.gitignore"));
  expect((await project.ralph("init")).code).toBe(0);
  expect(project.read(".ralph/.gitignore")).toContain("!config.yaml");
});

test("UX-1: without any agent it says how to get one and works all the same", async () => {
  project = practice();
  const env = { ...project.env, PATH: "/usr/bin:/bin" };
  const run = (...args: string[]) => runRalph(args, { dir: project.dir, env });
  const { code, stdout, stderr } = await run("init", "--verify", "make", "--verify", "make 'slow \"check\"'");
  expect(stdout).toMatch(
    /claude, not installed yet\n +hint: .*npm i -g @anthropic-ai\/claude-code.*agent: command/,
  );
  expect(stderr).toBe('next: ralph task add "title"\n');
  expect(code).toBe(0);
  const { stdout: shown } = await run("config", "show", "--json");
  const verify = (JSON.parse(shown) as { key: string; value: unknown }[]).find(({ key }) => key === "verify");
  expect(verify?.value).toEqual([
    { run: "make", timeout: "10m" },
    { run: "make 'slow \"check\"'", timeout: "10m" },
  ]);
});

test("UX-1 UX-4: an agent that does not exist, and a folder that is no repository, change nothing", async () => {
  project = practice();
  const wrong = await project.ralph("init", "--agent", "cluade");
  expect(wrong.stderr).toMatch(/cluade.*\nhint: .*claude/);
  expect(wrong.code).toBe(2);
  expect(existsSync(join(project.dir, ".ralph"))).toBe(false);
  const outside = await runRalph(["init", "--yes"], { dir: project.home, env: project.env });
  expect(outside.stderr).toMatch(/is not in a git repository.*\nhint: git init/);
  expect(outside.code).toBe(5);
  expect(existsSync(join(project.home, ".ralph"))).toBe(false);
});
