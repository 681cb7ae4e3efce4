import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, expect, test } from "vitest";
import { openTempStoreAt } from "../temp-store.ts";
import { type Practice, practice, ralphBin, ralphStart } from "./practice.ts";

const clients: Client[] = [];
let project: Practice | undefined;

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  project?.remove();
});

interface Connection {
  readonly args?: readonly string[];
  readonly env?: Record<string, string>;
  /** `auto`: the newest revision of the protocol that both know. */
  readonly mode?: "legacy" | "auto";
}

/** The SDK's own client, talking to a `ralph mcp` of its own. */
async function connect(
  made: Practice,
  { args = [], env = {}, mode = "legacy" }: Connection = {},
): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  clients.push(client);
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [...ralphStart, "mcp", ...args],
      cwd: made.dir,
      env: { ...made.env, ...env },
      stderr: "pipe",
    }),
  );
  return client;
}

/** The text of an answer, and whether it is an error. */
async function ask(
  client: Client,
  name: string,
  given: Readonly<Record<string, unknown>> = {},
): Promise<readonly [boolean, string]> {
  const { content, isError } = await client.callTool({ name, arguments: { ...given } });
  const [first] = content as readonly { readonly text: string }[];
  return [isError === true, first?.text ?? ""];
}

const lesson = "The parser needs UTC, or leap days fail.";

test("AGENT-6: the tools are listed with their arguments, and each does what the typed command does", async () => {
  project = practice();
  await project.addTasks(["Parse dates"]);
  const client = await connect(project, { args: ["--agent", "claude"] });
  expect(client.getServerVersion()).toMatchObject({ name: "ralph" });
  // Codex shows a model the first line only, until it asks for the tools.
  expect(client.getInstructions()?.split("\n")[0]).toMatch(/^[A-Z].{40,120}[a-z]\.$/);
  const { tools } = await client.listTools();
  expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
    ["memory_search", true],
    ["memory_store", false],
    ["memory_feedback", false],
    ["note_add", false],
    ["note_list", true],
    ["task_list", true],
    ["task_add", false],
    ["task_done", false],
    ["task_failed", false],
  ]);
  expect(tools[1]?.inputSchema).toMatchObject({ required: ["lesson"], additionalProperties: false });

  const [, stored] = await ask(client, "memory_store", {
    lesson,
    category: "pitfall",
    tags: "parser, dates",
  });
  const { id } = JSON.parse(stored) as { id: string };
  expect(await project.json("memory", "get", id)).toMatchObject({
    memory: {
      lesson,
      category: "pitfall",
      metadata: { tags: ["parser", "dates"] },
      provenance: { source: "tool", agent: "claude", task: null, iterationId: null },
    },
  });
  const [, found] = await ask(client, "memory_search", { query: "leap day parser", limit: 3 });
  expect(JSON.parse(found)).toMatchObject({ results: [{ id, lesson, category: "pitfall" }] });
  expect(await project.json("memory", "get", id)).toMatchObject({ memory: { lastUsedAt: null } });

  await ask(client, "task_add", {
    title: "Document it",
    description: "In the README",
    after: ["t-1"],
    priority: "high",
  });
  const [, listed] = await ask(client, "task_list");
  const typed = (await project.json("task", "list")) as unknown[];
  expect(JSON.parse(listed)).toEqual({ tasks: typed, total: 2 });
  const [, done] = await ask(client, "task_done", { id: "t-1" });
  expect(JSON.parse(done)).toMatchObject({ status: "done", unblocked: [{ title: "Document it" }] });
  const [, left] = await ask(client, "task_list", { status: "pending" });
  const { tasks } = JSON.parse(left) as { tasks: { id: string }[] };
  await ask(client, "task_failed", { id: tasks[0]?.id, reason: "not wanted" });
  expect(await project.json("task", "list", "--status", "failed")).toHaveLength(1);
});

test("AGENT-8: a connected server has tools in a project, and none inside an iteration or elsewhere", async () => {
  project = practice();
  const connected = { args: ["--connected", "--agent", "claude"] };
  const toolsOf = async (client: Client): Promise<number> => (await client.listTools()).tools.length;
  const elsewhere = await connect(project, connected);
  expect([await toolsOf(elsewhere), elsewhere.getInstructions()]).toEqual([0, undefined]);
  await project.addTasks(["Parse dates"]);
  expect(await toolsOf(await connect(project, connected))).toBe(9);
  const inside = await connect(project, { ...connected, env: { RALPH_TASK_ID: "t-1" } });
  expect([await toolsOf(inside), inside.getInstructions()]).toEqual([0, undefined]);
  expect(await ask(inside, "task_list")).toEqual([true, expect.stringContaining("unknown tool")]);
});

test("AGENT-6: Claude Code is given the tools for an iteration, unless the configuration says no", async () => {
  project = practice();
  await project.addTasks(["Parse dates"]);
  const servers = async (...flags: readonly string[]): Promise<unknown> => {
    const ran = (await project?.json("run", "--dry-run", "--agent", "claude", ...flags)) as {
      argv: string[];
    };
    const at = ran.argv.indexOf("--mcp-config");
    return at < 0 ? null : JSON.parse(ran.argv[at + 1] ?? "");
  };
  const args = [ralphBin, "mcp", "--agent", "claude"];
  const ralph = { command: process.execPath, args, env: { RALPH_TASK_ID: "t-1" } };
  expect(await servers()).toMatchObject({ mcpServers: { ralph } });
  expect(await servers("--no-memory")).toMatchObject({
    mcpServers: { ralph: { args: [...args, "--no-memory"] } },
  });
  project.write(".ralph/config.yaml", "mcp: { enabled: false }\n");
  await project.ralph("trust", "approve", "--yes");
  expect(await servers()).toBeNull();
});

const token = `ghp_${"aB3dE5gH7j".repeat(4).slice(0, 36)}`;

test("TRUST-1 TRUST-7: no secret is kept or answered by ralph mcp, nor one of its environment, nor a control character", async () => {
  project = practice();
  const own = "correct-horse-battery-staple";
  await project.addTasks([`Rotate ${token} and ${own} \u001b[31mred\u202e`]);
  const client = await connect(project, { env: { DEPLOY_TOKEN: own } });
  const [, stored] = await ask(client, "memory_store", {
    lesson: `The deploy key is ${token}, and the other one is ${own}.`,
    tags: [`key-${own}`],
    detail: own,
  });
  const answers = [
    stored,
    (await ask(client, "memory_search", { query: "deploy key" }))[1],
    (await ask(client, "task_list"))[1],
    (await ask(client, "task_add", { title: `Use ${token}`, parent: "t-1" }))[1],
    (await ask(client, "task_done", { id: own }))[1],
    (await ask(client, token))[1],
  ];
  expect(answers[1]).toContain("The deploy key is ");
  expect(answers[2]).toContain("Rotate ");
  for (const answer of answers) {
    expect(answer).not.toContain(token);
    expect(answer).not.toContain(own);
    expect(answer.replaceAll("\n", "")).not.toMatch(/u001b|\p{Cc}|\p{Cf}/u);
  }
  const kept = (await project.ralph("memory", "export")).stdout;
  expect(kept).toContain("The deploy key is");
  expect(kept).not.toContain(token);
  expect(kept).not.toContain(own);
});

test("without a project, without a store, or with a locked one, each call says so", async () => {
  project = practice();
  const outside = await connect({ ...project, dir: project.home });
  expect(await ask(outside, "task_list")).toEqual([
    true,
    expect.stringMatching(/no project at [\s\S]*hint: run `git init`/),
  ]);
  const client = await connect(project);
  expect(await ask(client, "memory_store", { lesson })).toEqual([
    true,
    expect.stringMatching(/there is no store[\s\S]*hint: /),
  ]);
  await project.addTasks(["Parse dates"]);
  expect((await ask(client, "task_list"))[0]).toBe(false);
  const db = await openTempStoreAt(project.dir);
  const held = await db.transaction(async (tx) => {
    await tx.run("UPDATE tasks SET title = title");
    return ask(client, "memory_store", { lesson });
  });
  expect(held).toEqual([true, expect.stringMatching(/lock|busy|another/i)]);
  expect((await ask(client, "memory_store", { lesson }))[0]).toBe(false);
});
