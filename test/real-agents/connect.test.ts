import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { practice } from "../e2e/practice.ts";

interface Program {
  readonly agent: string;
  /** On PATH, or the one that the variable names. */
  readonly program: string;
  /** Its configuration file below the home folder, and what a person has in it. */
  readonly file: string;
  readonly content: string;
  readonly env?: Readonly<Record<string, string>>;
}

const programs: readonly Program[] = [
  {
    agent: "codex",
    program: process.env["RALPH_TEST_CODEX"] ?? "codex",
    file: ".codex/config.toml",
    content: '# mine\nmodel = "gpt-5.5" # fast\n',
  },
  {
    agent: "gemini",
    program: process.env["RALPH_TEST_GEMINI"] ?? "gemini",
    file: ".gemini/settings.json",
    content: '{\n  // mine\n  "security": { "auth": { "selectedType": "gemini-api-key" } } // key\n}\n',
    env: { GEMINI_API_KEY: "dummy", GEMINI_CLI_NO_RELAUNCH: "true", GEMINI_CLI_TRUST_WORKSPACE: "true" },
  },
  {
    agent: "opencode",
    program: process.env["RALPH_TEST_OPENCODE"] ?? "opencode",
    file: "config/opencode/opencode.jsonc",
    // It adds the schema itself.
    content: '{\n  "$schema": "https://opencode.ai/config.json",\n  // mine\n  "autoupdate": false,\n}\n',
    env: { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_FFF: "1" },
  },
];

function isInstalled({ program, agent }: Program): boolean {
  const { env, remove } = practice();
  try {
    execFileSync(program, ["--version"], { env, stdio: "ignore", timeout: 60_000 });
    return true;
  } catch {
    process.stderr.write(
      `skipped: ralph connect ${agent} with the genuine program, as ${program} is not on PATH\n`,
    );
    return false;
  } finally {
    remove();
  }
}

describe.each(programs)("the genuine $agent", (one) => {
  const { agent, program, file, content, env } = one;
  test.skipIf(!isInstalled(one))(
    "AGENT-8: reads the entry of `ralph connect`, and none after `ralph disconnect`",
    async () => {
      const made = practice(undefined, env);
      onTestFinished(() => made.remove());
      const path = join(made.home, file);
      mkdirSync(join(path, ".."), { recursive: true });
      writeFileSync(path, content);
      // Gemini CLI prints its list to stderr.
      const servers = (): string => {
        const options = { cwd: made.dir, env: made.env, encoding: "utf8", timeout: 60_000 } as const;
        const { stdout, stderr } = spawnSync(program, ["mcp", "list"], options);
        return stdout + stderr;
      };
      await made.ralph("connect", agent, "--yes");
      expect(servers()).toContain(`mcp --connected --agent ${agent}`);
      expect(readFileSync(path, "utf8")).toContain(" mine\n");
      await made.ralph("disconnect", agent, "--yes");
      expect(readFileSync(path, "utf8")).toBe(content);
      expect(servers()).not.toContain("--connected");
    },
    120_000,
  );
});
