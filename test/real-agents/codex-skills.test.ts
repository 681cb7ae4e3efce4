import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Agent } from "../../src/agents/agent.ts";
import { planSkillFiles, writeSkillFiles } from "../../src/memory/skills/files/write-skill-files.ts";
import { fakeEnv } from "../fakes/fake.ts";
import { newCommand } from "../fakes/new-agent.ts";
import { newRequest } from "./genuine-claude.ts";
import { glassSkill } from "./glass-skill.ts";

/** `codex` on PATH, or the program that RALPH_TEST_CODEX names: `npm i --prefix /tmp/codex @openai/codex`. */
const program = process.env["RALPH_TEST_CODEX"] ?? "codex";
// Codex refuses a home in the system's temporary folder for some of its parts, and works without them.
const home = mkdtempSync(join(tmpdir(), "ralph-codex-"));
afterAll(() => rmSync(home, { recursive: true, force: true, maxRetries: 3 }));

function codex(): Agent {
  const argv = [program, "exec", "--json", "--skip-git-repo-check", "-"];
  return newCommand({
    argv,
    format: "codex-json",
    env: { ...fakeEnv, LANG: "C.UTF-8", HOME: home, CODEX_HOME: home, LOCAL_KEY: "dummy" },
  });
}

/** The Responses API on 127.0.0.1: each request is answered with one message. */
async function startResponses(message: string) {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.method !== "POST" || !request.url?.endsWith("/responses"))
      return response.writeHead(404).end();
    bodies.push(Buffer.concat(chunks).toString());
    const content = [{ type: "output_text", text: message }];
    const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
    const events = [
      { type: "response.created", response: { id: "r1" } },
      { type: "response.output_item.done", item: { type: "message", id: "m1", role: "assistant", content } },
      { type: "response.completed", response: { id: "r1", usage } },
    ];
    response.writeHead(200, { "content-type": "text/event-stream" });
    return response.end(
      events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""),
    );
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return { bodies, url: `http://127.0.0.1:${port}/v1`, close: () => server.close() };
}

const { found } = await codex().probe();
if (!found) process.stderr.write(`skipped: the test with the genuine Codex, as ${program} is not on PATH\n`);

describe.skipIf(!found)("the genuine Codex and skills", () => {
  test("SKILL-3: it lists a skill of ralph among its own", async () => {
    const server = await startResponses("<task-done>t-1</task-done>");
    mkdirSync(home, { recursive: true });
    writeFileSync(
      join(home, "config.toml"),
      `model = "gpt-5-codex"
model_provider = "local"
[model_providers.local]
name = "local"
base_url = "${server.url}"
wire_api = "responses"
env_key = "LOCAL_KEY"
`,
    );
    const request = newRequest();
    // Codex looks for skills from the root of the repository on.
    mkdirSync(join(request.cwd, ".git"));
    const folders = { dirs: [".agents/skills", ".claude/skills"], layout: "skills" } as const;
    await writeSkillFiles(request.cwd, planSkillFiles(request.cwd, folders, glassSkill));
    const { error, finalMessage } = await codex().run(request);
    server.close();
    expect([error, finalMessage]).toEqual([null, "<task-done>t-1</task-done>"]);
    const listed = JSON.stringify(`- ios26-learned: ${glassSkill.description} (file: `).slice(1, -1);
    expect(server.bodies.filter((body) => body.includes(listed))).toHaveLength(1);
  });
});
