import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { bundledFake } from "../../test/fakes/bundled-fake.ts";
import { endFakes, fake, newToken, running } from "../../test/fakes/fake.ts";
import { variants } from "../../test/test-size.ts";
import { type IsolationLevel, namespacePrefix } from "./isolation-probe.ts";
import { killMarked } from "./kill-leftovers.ts";

const hasNamespace = (await namespacePrefix()) !== undefined;
afterAll(async () => {
  await endFakes();
});

/** A supervisor in a process of its own, killed outright once its program has left something behind. */
async function killSupervisor(isolation: IsolationLevel, marker: string, token: string): Promise<void> {
  const agent = fake("leave-behind", "setsid", token, "stay");
  const args = [bundledFake("supervisor"), isolation, marker, ...agent];
  const supervisor = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  await once(supervisor.stdout, "data");
  supervisor.kill("SIGKILL");
  await once(supervisor, "exit");
}

async function gone(token: string): Promise<boolean> {
  for (let waited = 0; waited < 2000 && running(token) > 0; waited += 20)
    await new Promise((r) => setTimeout(r, 20));
  return running(token) === 0;
}

test.skipIf(!hasNamespace)("LOOP-10: in a namespace nothing survives a killed ralph", async () => {
  const token = newToken();
  await killSupervisor("pid-namespace", `marker-${token}`, token);
  expect(await gone(token)).toBe(true);
});

test("LOOP-10: without one, what a killed ralph left is reaped by its marker", async () => {
  const token = newToken();
  await killSupervisor("process-group", `marker-${token}`, token);
  expect(running(token)).toBe(1);
  // The fake agent itself and what it left.
  expect(await killMarked(`marker-${token}`)).toBe(2);
  expect(running(token)).toBe(0);
  expect(await killMarked(`marker-${token}`)).toBe(0);
});

test.each(
  variants(
    [
      ["long-line", "200", "end of the line", 2],
      ["flood", "200", "end of the flood", 2_097_201],
    ],
    1,
  ),
)("memory stays bounded: %s of %s MB", async (name, megabytes, lastLine, lines) => {
  const args = [bundledFake("peak-memory"), ...fake(name, megabytes)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const seen = JSON.parse(stdout);
  expect(seen).toMatchObject({ lastLine, lines, exitCode: 0, ended: "exited" });
  expect(seen.risen).toBeLessThan(150);
});
