import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { viewMakers } from "../../test/process-levels.ts";
import { runProcess } from "./run-process.ts";
import type { ViewMount } from "./view.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "ralph-view-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

for (const maker of await viewMakers()) {
  test(`TRUST-10 FLEET-2: a ${maker.name} shows a folder writable within one that is read-only, and the other way round`, async () => {
    const trees = join(folder, maker.name.replace(" ", "-"));
    const [own, other] = [join(trees, "1"), join(trees, "2")];
    for (const path of [join(own, "kept"), other]) mkdirSync(path, { recursive: true });
    const mounts: readonly ViewMount[] = [
      { kind: "pin", path: trees },
      { kind: "read", path: trees, from: trees },
      { kind: "write", path: own, from: own },
      { kind: "read", path: join(own, "kept"), from: join(own, "kept") },
    ];
    const script = `for at in . 1 1/kept 2; do if ( : > "$at/x" ) 2>/dev/null; then echo "$at"; fi; done`;
    let out = "";
    const { exitCode } = await runProcess({
      argv: ["/bin/sh", "-c", script],
      cwd: trees,
      env: { PATH: "/usr/bin:/bin" },
      marker: null,
      isolation: "pid-namespace",
      sandbox: maker.words(mounts),
      timeoutMs: null,
      idleTimeoutMs: null,
      signal: new AbortController().signal,
      onStdout: (chunk) => {
        out += chunk.toString();
      },
    });
    expect([exitCode, out]).toEqual([0, "1\n"]);
  });
}
