import { expect, test } from "vitest";
import { fake, fakeEnv } from "../../test/fakes/fake.ts";
import { runTool } from "./run-tool.ts";

const options = { cwd: "/", env: fakeEnv, timeoutMs: 20_000 };

test("gives exit code, output and input", async () => {
  const result = await runTool(["sh", "-c", "cat; echo oops >&2; exit 3"], { ...options, stdin: "in" });
  expect(result).toMatchObject({
    exitCode: 3,
    stdout: "in",
    stderr: "oops\n",
    spawnError: null,
    timedOut: false,
  });
});

test("a tool that is not there, too slow or too loud is told apart", async () => {
  expect(await runTool(["no-such-tool"], options)).toMatchObject({
    exitCode: null,
    spawnError: expect.stringContaining("ENOENT"),
  });
  expect(await runTool(fake("hang"), { ...options, timeoutMs: 300 })).toMatchObject({
    exitCode: null,
    signal: "SIGKILL",
    timedOut: true,
  });
  const loud = await runTool(fake("flood", "80"), options);
  expect(loud).toMatchObject({ exitCode: null, overflowed: true });
  expect(loud.stdout.length).toBeLessThanOrEqual(64 * 1024 * 1024);
});
