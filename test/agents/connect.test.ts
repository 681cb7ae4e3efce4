import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { practice } from "../e2e/practice.ts";
import { type GenuineAgent, genuineAgent } from "./genuine-agents.ts";

interface Program extends GenuineAgent {
  /** Its configuration file below the home folder, and what a person has in it. */
  readonly file: string;
  readonly content: string;
  readonly env?: Readonly<Record<string, string>>;
}

const programs: readonly Program[] = [
  {
    ...genuineAgent("codex"),
    file: ".codex/config.toml",
    content: '# mine\nmodel = "gpt-5.5" # fast\n',
  },
  {
    ...genuineAgent("gemini"),
    file: ".gemini/settings.json",
    content: '{\n  // mine\n  "security": { "auth": { "selectedType": "gemini-api-key" } } // key\n}\n',
    env: { GEMINI_API_KEY: "dummy", GEMINI_CLI_NO_RELAUNCH: "true", GEMINI_CLI_TRUST_WORKSPACE: "true" },
  },
  {
    ...genuineAgent("opencode"),
    file: "config/opencode/opencode.jsonc",
    // It adds the schema itself.
    content: '{\n  "$schema": "https://opencode.ai/config.json",\n  // mine\n  "autoupdate": false,\n}\n',
    env: { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_FFF: "1" },
  },
];

describe.each(programs)("the genuine $name", (one) => {
  const { name: agent, found, program, file, content, env } = one;
  test.skipIf(!found)(
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
