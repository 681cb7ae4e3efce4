import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openProjectKey } from "../src/trust/project-key.ts";

const head = { seq: 1, chain: `12345678.${"a".repeat(22)}` };

test.skipIf(process.platform === "win32")(
  "TRUST-12: a pipe in place of the log's head does not block",
  () => {
    const state = mkdtempSync(join(tmpdir(), "pipe-"));
    try {
      const key = openProjectKey(state, state);
      key.writeHead(head);
      const [project = ""] = readdirSync(join(state, "projects"));
      const file = join(state, "projects", project, "head.json");
      rmSync(file);
      execFileSync("sh", ["-c", 'mkfifo "$0"', file]);
      expect(key.readHead()).toBeNull();
      key.writeHead(head);
      expect(key.readHead()).toEqual(head);
    } finally {
      rmSync(state, { recursive: true });
    }
  },
);
