import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { defaultPermission } from "../../src/agents/sandbox.ts";
import { type Practice, practice, runRalph } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

interface Check {
  readonly check: string;
  readonly status: string;
  readonly detail: string;
  readonly hint: string | null;
}

/** Programs on the PATH that answer as the genuine ones do; each word after `--version` is what an agent is asked for. */
const programs: Readonly<Record<string, string>> = {
  claude: `case "$*" in --version) echo "2.1.330 (Claude Code)";; "auth status --json") echo '{"loggedIn": true}';; *) touch "$HOME/started";; esac`,
  codex: `case "$*" in --version) echo "codex-cli 0.169.0";; "login status") echo "Not logged in" >&2; exit 1;; *) touch "$HOME/started";; esac`,
  gemini: `case "$*" in --version) echo 0.61.0;; *) touch "$HOME/started";; esac`,
  pi: `case "$*" in --version) echo 0.73.1 >&2;; --list-models) echo "No models available. Use /login" >&2;; *) touch "$HOME/started";; esac`,
  goose: `echo "goose 1.2.3"`,
};

async function agentChecks(config: string, names: readonly string[]): Promise<readonly Check[]> {
  project = practice();
  project.write(".ralph/config.yaml", config);
  await project.approveConfig();
  project.write("../bin/.keep", "");
  for (const name of names) {
    writeFileSync(join(project.dir, "../bin", name), `#!/bin/sh\n${programs[name]}\n`, { mode: 0o755 });
  }
  const env = { ...project.env, PATH: `${join(project.dir, "../bin")}:/usr/bin:/bin` };
  const { stdout } = await runRalph(["doctor", "--json"], { dir: project.dir, env });
  const checks = JSON.parse(stdout) as readonly Check[];
  return checks.filter(({ check }) => /^(agent |other agents)/.test(check));
}

test("UX-1: doctor lists each agent on a line: version, headless, login, what to do; others than the project's are no problem", async () => {
  const checks = await agentChecks("agent: claude\n", Object.keys(programs));
  expect(checks.map(({ check, status, hint }) => [check, status, hint])).toEqual([
    ["agent claude", "ok", null],
    ["agent codex", "ok", null],
    ["agent gemini", "ok", null],
    ["agent pi", "ok", null],
    ["agent goose", "ok", null],
    ["other agents", "ok", null],
  ]);
  expect(checks.map(({ detail }) => detail)).toEqual([
    `claude 2.1.330, permission ${await defaultPermission({ level: "auto" })}, logged in`,
    "codex 0.169.0, headless, not logged in; not configured. Log in with `codex login`, or check the API key.",
    "gemini 0.61.0, headless, login unknown; not configured",
    expect.stringMatching(
      /^pi 0\.73\.1, headless, not logged in; not configured\. Log in with `\/login` in pi/,
    ),
    "goose 1.2.3, headless by ACP, login unknown; not configured (ralph init --agent goose)",
    "not installed: opencode (npm i -g opencode-ai)",
  ]);
  expect(() => project.read("../home/started")).toThrow();
});

test("UX-1 TRUST-5: a login that is there is found without reading it; an unapproved program is not started", async () => {
  const made = practice();
  made.write("../home/.gemini/oauth_creds.json", "not read");
  made.write("../bin/.keep", "");
  writeFileSync(join(made.dir, "../bin/gemini"), `#!/bin/sh\n${programs["gemini"]}\n`, { mode: 0o755 });
  const trap = join(made.home, "trap");
  writeFileSync(trap, '#!/bin/sh\ntouch "$HOME/started"\n', { mode: 0o755 });
  made.write(".ralph/config.yaml", `agent: claude\nagents: { codex: { program: ${trap} } }\n`);
  project = made;
  const env = { ...made.env, PATH: `${join(made.dir, "../bin")}:/usr/bin:/bin` };
  const { stdout } = await runRalph(["doctor"], { dir: made.dir, env });
  expect(stdout).toMatch(/✓ agent gemini +gemini 0\.61\.0, headless, logged in; not configured\n/);
  expect(stdout).toMatch(/✗ agent claude +program not found/);
  expect(stdout).not.toMatch(/agent codex/);
  expect(() => made.read("../home/started")).toThrow();
});
