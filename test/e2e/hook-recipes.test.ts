import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { codeBlocks } from "../guide-pages.ts";
import { type Practice, practice } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

interface Posted {
  readonly path: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

async function receiver(): Promise<{ readonly url: string; readonly posted: Posted[] }> {
  const posted: Posted[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      posted.push({ path: request.url, headers: request.headers, body });
      response.end("ok");
    });
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, posted };
}

/** A folder with programs that append their arguments and standard input to a file of their own. */
function recorders(...names: readonly string[]): { readonly dir: string; taken(name: string): string } {
  const dir = mkdtempSync(join(tmpdir(), "ralph-recorders-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  for (const name of names) {
    const file = join(dir, name);
    // notify-send reads no standard input, which is the hook's own.
    const input = name === "sendmail" ? "cat" : ":";
    writeFileSync(file, `#!/bin/sh\n{ printf '[%s]' "$@"; echo; ${input}; } >> "$0.taken"\n`);
    chmodSync(file, 0o755);
  }
  return { dir, taken: (name) => readFileSync(join(dir, `${name}.taken`), "utf8") };
}

/** The recipes of the page by heading, with `url` in place of the services. */
function recipes(url: string): ReadonlyMap<string, string> {
  const page = readFileSync("docs/guide/hooks.md", "utf8");
  const sections = page.split(/^## /m).slice(1);
  const found = sections.map((section) => {
    const yaml = codeBlocks(section).filter(({ language }) => language === "yaml");
    expect(yaml).toHaveLength(1);
    const text = (yaml[0]?.text ?? "").replace(/https:\/\/(?:[\w-]+\.)+(?:sh|com)/g, url);
    return [section.split("\n")[0] ?? "", text] as const;
  });
  return new Map(found);
}

test("CTX-4: each hook of the guide delivers its message, in one run with a finished and a parked task", async () => {
  const { url, posted } = await receiver();
  const programs = recorders("notify-send", "sendmail");
  const byName = recipes(url);
  expect([...byName.keys()]).toEqual(["Desktop", "Mail", "Phone", "Chat", "Webhook"]);
  const hooks = [...byName.values()].flatMap((text) => parse(text).events.hooks as readonly unknown[]);
  const path = [programs.dir, dirname(process.execPath), process.env["PATH"]].join(":");
  project = practice({ "check.sh": "test ! -e bad.txt\n" }, { PATH: path });
  const idle = { say: "Nothing to do.\n\n<task-done>{id}</task-done>" };
  await project.useWorker(
    { "t-1": [{ write: { "good.txt": "fine\n" } }], "t-2": [idle] },
    `verify: ["sh check.sh"]\nevents: ${JSON.stringify({ hooks })}\n`,
  );
  await project.addTasks(["Write the file", "Say 'hello' to \"all\" $HOME"]);
  const { code, events } = await project.run();
  expect(code).toBe(4);
  const log = project.read(".ralph/events.jsonl").split("\n");
  expect(log.filter((line) => line.includes('"hook.failed"'))).toEqual([]);

  const summary = String(events.at(-1)?.["summary"]);
  expect(summary).toContain("1 done, 1 left");
  expect(programs.taken("notify-send")).toBe(`[ralph][${summary}]\n`);
  const mail = programs.taken("sendmail");
  expect(mail).toMatch(/^\[-t\]\nTo: you@example\.com\nSubject: ralph: run finished\n\n/);
  expect(mail).toContain(
    `\n${summary}\nt-2 Say 'hello' to "all" $HOME: needs a person: attempts 1 and 2 changed nothing`,
  );

  const to = (where: string): readonly Posted[] => posted.filter((one) => one.path === where);
  expect(to("/your-long-random-topic").map(({ headers, body }) => [headers["title"], body])).toEqual([
    ["ralph", summary],
  ]);
  const chat = to("/services/your/own/path").map(({ body }) => JSON.parse(body));
  expect(chat).toEqual([
    { text: expect.stringMatching(/^ralph: t-2 Say 'hello' to "all" \$HOME needs a person: .*nothing/) },
  ]);
  const types = to("/ralph").map(({ body }) => JSON.parse(body).type);
  expect(types).toEqual(["commit.created", "run.finished"]);
  expect(posted).toHaveLength(4);
});
