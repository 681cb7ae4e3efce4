import { count } from "../../base/text.ts";
import { stripControls } from "../../trust/terminal.ts";
import type { Check } from "../doctor/check.ts";
import { repair, runChecks } from "../doctor/run-checks.ts";
import type { CommandSpec, Session } from "../shell/command.ts";

/** `ralph doctor`: checks this machine and project, and says how to mend what is wrong (UX-1). */
export const doctor: CommandSpec = {
  name: "doctor",
  summary: "check this machine and project",
  description:
    "Checks Node, git, the disk, isolation, the configuration, the agents, approvals, the store and permissions, and says how to mend each. Exit code 0 when nothing failed, else 5.",
  examples: ["ralph doctor", "ralph doctor --repair", "ralph doctor --json"],
  options: [
    {
      flags: "--repair",
      description: "rebuild a damaged or lost store from its event log, after a copy; close permissions",
    },
  ],
  run: async (session, { options }) => {
    const repairs = options["repair"] === true ? await repair(session) : [];
    const checks = [...repairs, ...(await runChecks(session))];
    if (session.json) session.out(JSON.stringify(checks));
    else print(session, checks);
    return checks.some(({ status }) => status === "fail") ? 5 : 0;
  },
};

const marks: Readonly<Record<Check["status"], string>> = { ok: "✓", warn: "!", fail: "✗" };

function print(session: Session, checks: readonly Check[]): void {
  const width = Math.max(...checks.map(({ check }) => check.length)) + 2;
  for (const { check, status, detail, hint } of checks) {
    session.out(stripControls(`${marks[status]} ${check.padEnd(width)}${detail}`));
    if (hint !== null) session.out(stripControls(`  ${" ".repeat(width)}hint: ${hint}`));
  }
  const failed = checks.filter(({ status }) => status === "fail").length;
  const warned = checks.filter(({ status }) => status === "warn").length;
  const ends =
    failed > 0
      ? `${failed} failed, ${count(warned, "warning")}`
      : `nothing failed, ${count(warned, "warning")}`;
  session.note(ends);
}
