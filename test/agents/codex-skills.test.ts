import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Agent } from "../../src/agents/port/agent.ts";
import { planSkillFiles, writeSkillFiles } from "../../src/memory/skills/store/write-skill-files.ts";
import { fakeEnv } from "../fakes/fake.ts";
import { newKnown } from "../fakes/new-agent.ts";
import { genuineAgent } from "./genuine-agents.ts";
import { newRequest } from "./genuine-claude.ts";
import { glassSkill } from "./glass-skill.ts";
import { startModelServer } from "./model-server/model-server.ts";

const genuine = genuineAgent("codex");
// Codex refuses a home in the system's temporary folder for some of its parts, and works without them.
let home = "";
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "ralph-codex-"));
});
afterAll(() => rmSync(home, { recursive: true, force: true, maxRetries: 3 }));

function codex(url: string): Agent {
  const env = { ...fakeEnv, LANG: "C.UTF-8", HOME: home, ...genuine.prepare(home, url) };
  return newKnown("codex", { program: genuine.program, env });
}

describe.skipIf(!genuine.found)("the genuine Codex and skills", () => {
  test("SKILL-3: it lists a skill of ralph among its own", async () => {
    const server = await startModelServer([{ text: "<task-done>t-1</task-done>" }]);
    const request = newRequest();
    // Codex looks for skills from the root of the repository on.
    mkdirSync(join(request.cwd, ".git"));
    const folders = { dirs: [".agents/skills", ".claude/skills"], layout: "skills" } as const;
    await writeSkillFiles(request.cwd, planSkillFiles(request.cwd, folders, glassSkill));
    const { error, finalMessage } = await codex(server.url).run(request);
    await server.close();
    expect([error, finalMessage]).toEqual([null, "<task-done>t-1</task-done>"]);
    const listed = JSON.stringify(`- ios26-learned: ${glassSkill.description} (file: `).slice(1, -1);
    expect(server.bodies.filter((body) => body.includes(listed))).toHaveLength(1);
  });
});
