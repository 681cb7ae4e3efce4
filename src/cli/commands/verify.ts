import { formatDuration } from "../../base/duration.ts";
import { RalphError } from "../../base/errors.ts";
import { safe } from "../../base/safe-text.ts";
import type { CheckResult } from "../../outcome/outcome.ts";
import { storedJson, storedText } from "../../trust/stored-text.ts";
import { type CommandSpec, type Session, withProject } from "../shell/command.ts";

/** `ralph verify`: the check that a run makes before its first attempt (LOOP-20). */
export const command: CommandSpec = {
  description:
    "Runs the verification commands of the configuration on the files as they are, as `ralph run` does before its first attempt. A run does not repeat it while the files stay the same. Exits with 0 when all commands pass, 1 when one fails, 5 when one cannot be executed.",
  examples: ["ralph verify", "ralph verify --json"],
  options: [],
  run: async (session) => {
    const { settings } = await session.loadSettings();
    if (!settings.verify?.length) {
      throw new RalphError("RALPH_VERIFY_MISSING", "nothing to verify with: no verification is configured", {
        hint: "run `ralph init`, or set `verify` in .ralph/config.yaml",
      });
    }
    return withProject(session, { create: true, own: true }, async (project) => {
      const { verifyOnce } = await import("../run/verify-once.ts");
      const { flakyWarnings, formWarnings } = await import("../../outcome/verify.ts");
      const warnings = await formWarnings(settings.verify ?? [], project.root);
      for (const warning of warnings.values()) session.note(safe`warning: ${storedText(warning)}`);
      const checks = await verifyOnce(session, project, (command) =>
        session.note(safe`verifying: ${storedText(command)}`),
      );
      for (const warning of flakyWarnings(checks)) session.note(safe`warning: ${storedText(warning)}`);
      if (session.json) session.out(storedJson({ passed: checks.every(({ passed }) => passed), checks }));
      else print(session, checks);
      if (checks.some(({ cannotRun }) => cannotRun !== null)) return 5;
      return checks.every(({ passed }) => passed) ? 0 : 1;
    });
  },
};

function print(session: Session, checks: readonly CheckResult[]): void {
  for (const { command, passed, reason, durationMs, excerpt } of checks) {
    const took = formatDuration(durationMs);
    if (passed) session.out(safe`✓ ${storedText(command)} ${took}`);
    else {
      session.out(safe`✗ ${storedText(command)}: ${storedText(reason)} ${took}`);
      if (excerpt !== "") session.out(storedText(excerpt));
    }
  }
}
