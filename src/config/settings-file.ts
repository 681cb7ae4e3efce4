import type { VerifyCommand } from "../base/verify-command.ts";

interface NewSettings {
  readonly agent: string;
  /** Empty: the file states that there is no verification. */
  readonly verify: readonly VerifyCommand[];
}

const header = `# ralph's settings for this project. Commit this file.
# Every setting and where it comes from: ralph config show
# A JSON Schema for your editor: ralph config schema
`;

/** Returns the smallest configuration file with these settings; all others keep their defaults. */
export function settingsFile({ agent, verify }: NewSettings): string {
  const commands = verify.map(({ run, timeoutMs }) => {
    const command = JSON.stringify(run);
    return timeoutMs === null
      ? `  - ${command}`
      : `  - { run: ${command}, timeout: ${Math.ceil(timeoutMs / 1000)}s }`;
  });
  const list =
    commands.length === 0
      ? '# No command verifies the agent\'s work yet. For example: ["npm test"]\nverify: []'
      : `# All of these must exit 0 before a task counts as done.\nverify:\n${commands.join("\n")}`;
  return `${header}\nagent: ${agent}\n\n${list}\n`;
}
