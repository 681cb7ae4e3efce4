import { safe } from "../../../base/safe-text.ts";
import { count } from "../../../base/text.ts";
import { safeJson, safeText } from "../../../trust/safe-text.ts";
import type { CommandSpec, Session } from "../../shell/command.ts";
import type { Check } from "./check.ts";
import { repair, runChecks } from "./run-checks.ts";

/** `ralph doctor`: checks this machine and project and suggests a fix for each problem (UX-1). */
export const command: CommandSpec = {
  description:
    "Checks Node, git, the disk, isolation, the configuration, the agents, approvals, the store and permissions, and suggests a fix for each problem. Exits with 0 when no check failed, otherwise 5.",
  examples: ["ralph doctor", "ralph doctor --repair", "ralph doctor --json"],
  options: [
    {
      flags: "--repair",
      description: "restore a lost or damaged store from its backup; fix permissions",
    },
  ],
  run: async (session, { options }) => {
    const repairs = options["repair"] === true ? await repair(session) : [];
    const checks = [...repairs, ...(await runChecks(session))];
    if (session.json) session.out(safeJson(checks));
    else print(session, checks);
    return checks.some(({ status }) => status === "fail") ? 5 : 0;
  },
};

const marks: Readonly<Record<Check["status"], string>> = { ok: "✓", warn: "!", fail: "✗" };

function print(session: Session, checks: readonly Check[]): void {
  const width = Math.max(...checks.map(({ check }) => check.length)) + 2;
  for (const { check, status, detail, hint } of checks) {
    session.out(safeText(`${marks[status]} ${check.padEnd(width)}${detail}`));
    if (hint !== null) session.out(safeText(`  ${" ".repeat(width)}hint: ${hint}`));
  }
  const failed = checks.filter(({ status }) => status === "fail").length;
  const warned = checks.filter(({ status }) => status === "warn").length;
  const ends =
    failed > 0
      ? safe`${failed} failed, ${count(warned, "warning")}`
      : safe`no check failed, ${count(warned, "warning")}`;
  session.note(ends);
}
