import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Permission } from "../../src/base/shared-settings.ts";
import { findProgram } from "../../src/process/find-program.ts";
import { fakeEnv } from "../fakes/fake.ts";
import type { Usage } from "./model-server/step.ts";

export type AgentName = "claude" | "codex" | "gemini" | "opencode" | "pi";

/** A genuine program, without account, settings or internet. */
export interface GenuineAgent {
  readonly name: AgentName;
  /** On PATH, or the one that RALPH_TEST_<NAME> names. */
  readonly program: string;
  /** False: its tests are skipped, and a sentence on stderr says so. */
  readonly found: boolean;
  /** The name of its model, as ralph passes it. */
  readonly model: string;
  /** Returns the fresh input that it reports of what a session used; null: it reports no tokens. */
  inputTokens(used: Usage): number | null;
  /** Writes the files that make it talk to `url` below `home`, and returns its environment. */
  prepare(home: string, url: string): Readonly<Record<string, string>>;
  /** The lines of ralph's configuration that choose it. Null: the default permission. */
  config(permission: Permission | null): string;
}

type Setup = Pick<GenuineAgent, "model" | "prepare"> & Partial<Pick<GenuineAgent, "config" | "inputTokens">>;

const setups: Readonly<Record<AgentName, (program: string) => Setup>> = {
  claude: () => ({
    model: "claude-sonnet-4-5",
    prepare: (home, url) => ({
      CLAUDE_CONFIG_DIR: join(home, ".claude"),
      ANTHROPIC_BASE_URL: url,
      // As with a subscription, whose limits state their reset.
      CLAUDE_CODE_OAUTH_TOKEN: "dummy",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    }),
  }),
  codex: () => ({
    model: "default",
    prepare(home, url) {
      const provider = `{name="local",base_url="${url}/v1",env_key="LOCAL_KEY",wire_api="responses"}`;
      write(
        join(home, ".codex/config.toml"),
        `model = "gpt-5.5"\nmodel_provider = "local"\nmodel_providers.local = ${provider}\n`,
      );
      return { CODEX_HOME: join(home, ".codex"), LOCAL_KEY: "dummy", CODEX_API_KEY: "dummy" };
    },
  }),
  gemini: () => ({
    model: "gemini-2.5-flash",
    // In its protocol, cached input is not told apart.
    inputTokens: ({ input, cacheRead }) => input + cacheRead,
    prepare(home, url) {
      const settings = {
        security: { auth: { selectedType: "gemini-api-key" } },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      };
      write(join(home, ".gemini/settings.json"), JSON.stringify(settings));
      return { GEMINI_CLI_HOME: home, GEMINI_API_KEY: "dummy", GOOGLE_GEMINI_BASE_URL: url };
    },
  }),
  opencode: () => ({
    model: "local/m1",
    inputTokens: () => null,
    prepare(_home, url) {
      const limit = { context: 200_000, output: 8192 };
      const models = { m1: { name: "m1", limit, cost: { input: 3, output: 15 } } };
      const options = { baseURL: `${url}/v1`, apiKey: "dummy" };
      const provider = { local: { npm: "@ai-sdk/openai-compatible", options, models } };
      return {
        OPENCODE_DISABLE_MODELS_FETCH: "1",
        OPENCODE_CONFIG_CONTENT: JSON.stringify({
          autoupdate: false,
          share: "disabled",
          model: "local/m1",
          provider,
        }),
      };
    },
  }),
  pi: () => ({
    model: "local/m1",
    prepare(home, url) {
      const local = {
        baseUrl: `${url}/v1`,
        api: "openai-completions",
        apiKey: "dummy",
        models: [{ id: "m1" }],
      };
      write(join(home, ".pi/models.json"), JSON.stringify({ providers: { local } }));
      return { PI_CODING_AGENT_DIR: join(home, ".pi"), PI_OFFLINE: "1", PI_TELEMETRY: "0" };
    },
  }),
};

function write(file: string, content: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** Once for all test files, which share the home of the suite. */
function tellSkipped(name: AgentName, program: string): void {
  try {
    mkdirSync(join(process.env["HOME"] ?? "", `.skipped-${name}`));
  } catch {
    return;
  }
  process.stderr.write(
    `skipped: the tests with the genuine ${name}, as there is no program ${program}; see docs/testing-agents.md\n`,
  );
}

const known = new Map<AgentName, GenuineAgent>();

/** Finds a genuine program, without starting it. */
export function genuineAgent(name: AgentName): GenuineAgent {
  const before = known.get(name);
  if (before) return before;
  const variable = `RALPH_TEST_${name.toUpperCase()}`;
  const program = process.env[variable] ?? name;
  const found = findProgram(program, { cwd: process.cwd(), env: fakeEnv }) !== undefined;
  if (!found) tellSkipped(name, program);
  const setup = setups[name](program);
  const config = (permission: Permission | null): string =>
    `agent: ${name}\nagents:\n  ${name}: { program: ${JSON.stringify(program)}, permission: ${permission}, tiers: [${setup.model}] }\n`;
  const inputTokens = ({ input }: Usage): number => input;
  const agent: GenuineAgent = { name, program, found, config, inputTokens, ...setup };
  known.set(name, agent);
  return agent;
}
