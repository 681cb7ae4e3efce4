import { parseDocument } from "yaml";
import { RalphError } from "../base/errors.ts";
import { defaultVerifyTimeoutMs, type VerifySetting } from "../base/verify-command.ts";
import { isYamlObject, parseYaml } from "../base/yaml.ts";

interface NewSettings {
  readonly agent: string;
  /** Program and arguments of the agent `acp`. */
  readonly argv?: readonly string[] | undefined;
  /** Absent: the default. */
  readonly permission?: string | undefined;
  /** Empty: the file states that there is no verification. */
  readonly verify: readonly VerifySetting[];
  /** False: the file turns the hivemind off. */
  readonly shares?: boolean;
}

const header = `# ralph's settings for this project. Commit this file.
# Every setting and where it comes from: ralph config show
# A JSON Schema for your editor: ralph config schema
`;

const noCommand = `# No command verifies the agent's work yet. For example: ["npm test"]`;
const limit = `${defaultVerifyTimeoutMs / 60_000}m`;
const allCommands = `# All of these must exit 0 before a task counts as done. Each may take ${limit}; or, with its own limit:
# { run: npm test, timeout: 30m }`;

/** Returns the smallest configuration file with these settings; all others keep their defaults. */
export function settingsFile({ agent, argv, permission, verify, shares = true }: NewSettings): string {
  const list =
    verify.length === 0
      ? `${noCommand}\nverify: []`
      : `${allCommands}\nverify:\n${verify.map((one) => `  - ${commandText(one)}`).join("\n")}`;
  const hivemind = shares ? "" : "\nhivemind: { store: off }\n";
  return `${header}\nagent: ${agent}\n${agentBlock(agent, argv, permission)}\n${list}\n${hivemind}`;
}

function agentBlock(
  agent: string,
  argv: readonly string[] | undefined,
  permission: string | undefined,
): string {
  const level = permission === undefined ? "" : `permission: ${permission}`;
  if (!argv) return level === "" ? "" : `agents:\n  ${agent}: { ${level} }\n`;
  return level === "" ? acpBlock(argv) : acpBlock(argv).replace(" }", `, ${level} }`);
}

function acpBlock(argv: readonly string[]): string {
  return `agents:\n  acp: { argv: [${argv.map((word) => JSON.stringify(word)).join(", ")}] }\n`;
}

/**
 * Returns the configuration `text`, valid YAML, with other settings for what is given. All other bytes stay, unless the whole
 * configuration is one `{ … }`; only ralph's own comment that there is no verification goes with the first command.
 */
export function editedSettings(text: string, { agent, argv, verify }: Partial<NewSettings>): string {
  const list = verify?.map((one) => `\n  - ${commandText(one)}`).join("") || " []";
  const named = agent === undefined ? text : edited(text, "agent", ` ${agent}`, agent);
  const withAgent = argv
    ? edited(named, "agents", acpBlock(argv).slice("agents:".length).trimEnd(), { acp: { argv } })
    : named;
  if (verify === undefined) return withAgent;
  const commented =
    verify.length === 0 ? withAgent : withAgent.replace(`${noCommand}\nverify:`, `${allCommands}\nverify:`);
  return edited(commented, "verify", list, verify.map(commandValue));
}

function edited(text: string, key: string, block: string, value: unknown): string {
  const yaml = parseYaml(text, { file: key });
  if (yaml.value !== null && !isYamlObject(yaml.value)) {
    throw new RalphError("RALPH_CONFIG_WRONG", "the configuration is not a mapping", {
      hint: "write `key: value` lines, or remove the file and run `ralph init`",
    });
  }
  if (yaml.place([])?.flow) {
    const document = parseDocument(text);
    document.set(key, document.createNode(value));
    return document.toString({ lineWidth: 0 });
  }
  const place = yaml.place([key]);
  if (!place?.key) return `${text}${/(?:^|\n)$/.test(text) ? "" : "\n"}${key}:${block}\n`;
  const old = text.slice(place.start, place.end);
  return `${text.slice(0, place.key.start)}${key}:${block}${/\s*$/.exec(old)?.[0] ?? ""}${text.slice(place.end)}`;
}

function commandText(command: VerifySetting): string {
  const value = commandValue(command);
  if (typeof value === "string") return JSON.stringify(value);
  const fields = Object.entries(value).map(
    ([name, field]) => `${name}: ${name === "timeout" ? field : JSON.stringify(field)}`,
  );
  return `{ ${fields.join(", ")} }`;
}

function commandValue({ run, timeoutMs, in: folder, when }: VerifySetting): string | Record<string, unknown> {
  if (timeoutMs === null && folder === undefined && when === undefined) return run;
  return {
    run,
    ...(timeoutMs !== null && { timeout: `${Math.ceil(timeoutMs / 1000)}s` }),
    ...(folder !== undefined && { in: folder }),
    ...(when !== undefined && { when }),
  };
}
