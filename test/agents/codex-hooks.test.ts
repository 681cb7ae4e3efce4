import { execFile } from "node:child_process";
import { expect, test } from "vitest";
import { genuineAgent } from "./genuine-agents.ts";
import { genuineProject } from "./genuine-project.ts";

const codex = genuineAgent("codex");
const lesson = "The release check reads out.txt as UTF-8 and refuses an empty file.";

test.skipIf(!codex.found)(
  "AGENT-8: a memory that fits is in the first request of a connected session of Codex, unasked",
  { timeout: 60_000 },
  async () => {
    const { made, server } = await genuineProject(codex, { script: [{ text: "Done." }] });
    await made.ralph("memory", "store", lesson, "--category", "pitfall");
    await made.ralph("connect", "codex", "--yes");
    // Its screen asks a person whether they trust the hooks; this flag answers.
    const words = ["exec", "--dangerously-bypass-hook-trust", "Make the release check of out.txt pass"];
    await new Promise((resolve) => {
      const child = execFile(codex.program, words, { cwd: made.dir, env: made.env }, resolve);
      child.stdin?.end();
    });
    expect(server.bodies.filter((body) => body.includes(lesson)).length).toBeGreaterThan(0);
  },
);
