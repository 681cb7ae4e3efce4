import { expect, test } from "vitest";
import { claimsDone, failToSign, tempLoop } from "../../../test/temp-loop.ts";
import { sessionName } from "../../memory/note-actions.ts";
import { runLoop } from "../run-loop.ts";

const secret = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
/** Colours the terminal and holds a secret. */
const untrusted = `red\u001b[31m ${secret}`;
const forbidden = new RegExp(`\\u001b|\\\\u001b|${secret}`);

test("TRUST-1, TRUST-7: what a pending commit says of its task holds no secrets and no control characters", async () => {
  const { setup, repository } = await tempLoop(
    `echo x > done.txt; touch "$(printf 'a\\033[31mb')"; printf '${untrusted}\\n'; ${claimsDone}`,
    [`Write done.txt ${untrusted}`],
  );
  failToSign(repository);
  await runLoop(setup);
  const row = await setup.db.get<{ paths: string }>("SELECT paths FROM pending_commits");
  const { story, paths } = JSON.parse(`${row?.paths}`);
  expect(story).toMatchObject({
    title: expect.stringContaining("Write done.txt red"),
    files: ["ab", "done.txt"],
  });
  expect(JSON.stringify(story)).not.toMatch(forbidden);
  // Git needs the real names.
  expect(paths).toContain("a\u001b[31mb");
});

test("FAIL-5, TRUST-1, TRUST-7: an agent's category brings no control characters into the error's signature", async () => {
  const report = `what_tried: x\nwhy_failed: y\nerror_category: ${untrusted}`;
  const { setup } = await tempLoop(
    `printf '%s\\n' '<failure-report>${report}</failure-report>' "<task-failed>$RALPH_TASK_ID</task-failed>"`,
  );
  const limits = { ...setup.options.limits, maxIterations: 1 };
  await runLoop({ ...setup, options: { ...setup.options, limits } });
  for (const table of ["iteration_outcomes", "failure_reports"]) {
    const row = await setup.db.get<{ signature: string }>(
      `SELECT error_signature AS signature FROM ${table}`,
    );
    expect(row?.signature).toMatch(/^red .*:[0-9a-f]{12}$/);
    expect(row?.signature).not.toMatch(forbidden);
  }
});

test("NOTE-5, TRUST-1, TRUST-7: the name of a session holds no secrets and no control characters", () => {
  expect(sessionName(untrusted)).not.toMatch(forbidden);
});
