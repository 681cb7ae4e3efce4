import { spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { type RunEvent, ralphBin } from "../e2e/practice.ts";
import { giveTo, type ViewWay, viewWays } from "../view-ways.ts";
import { genuineAgent } from "./genuine-agents.ts";
import { genuineProject } from "./genuine-project.ts";

/** The setups of TRUST-10: every view that this machine can make, and none. */
const setups: readonly (ViewWay & { readonly sandbox: string })[] = [
  ...viewWays(ralphBin).map((way) => ({ ...way, sandbox: "required" })),
  { name: "no sandbox", words: [], level: "off", owner: null, sandbox: '"off"' },
];

const note = "The file is written by a command, as an edit would add a newline.";

describe.each(["claude", "codex"] as const)("the genuine %s", (name) => {
  const agent = genuineAgent(name);
  describe.skipIf(!agent.found)("in the loop", () => {
    test.each(setups)(
      "TRUST-10 AGENT-1 JOURNAL-2: as $name it commits, stores a note by MCP and writes its journal",
      async (way) => {
        // Its own sandbox cannot write the project of another user, with or without this view.
        const permission =
          name === "codex" && way.words.length === 0 && way.owner !== null ? "bypass" : "shell";
        const { made } = await genuineProject(agent, {
          script: [
            { ralph: "note_add", input: { content: note, type: "learning" } },
            { command: 'echo "Dates are UTC." >> "$RALPH_JOURNAL"; echo $? > journal.txt' },
            {
              command:
                "echo hi > out.txt; git add out.txt && git commit -q -m 'write the greeting'; echo $? > commit.txt",
            },
            { command: "echo x > .ralph/planted; true" },
            { text: "Written.\n\n<task-done>t-1</task-done>" },
          ],
          permission,
          config: `sandbox: ${way.sandbox}\n`,
        });
        mkdirSync(join(made.dir, ".git/info"), { recursive: true });
        writeFileSync(join(made.dir, ".git/info/exclude"), "journal.txt\ncommit.txt\n");
        appendFileSync(join(made.home, "config/git/config"), "[safe]\n  directory = *\n");
        giveTo(way, dirname(made.dir));
        const [program = "", ...args] = [...way.words, process.execPath, ralphBin, "run", "--once", "--json"];
        const child = spawn(program, args, {
          cwd: made.dir,
          env: made.env,
          stdio: ["ignore", "pipe", "pipe"],
        });
        const texts = { stdout: "", stderr: "" };
        for (const one of ["stdout", "stderr"] as const)
          child[one].on("data", (chunk: Buffer) => {
            texts[one] += chunk.toString();
          });
        const code = await new Promise((done) => child.once("close", done));
        expect(texts.stderr).toBe("");
        const events = texts.stdout
          .split("\n")
          .filter(Boolean)
          .map((line) => JSON.parse(line) as RunEvent);
        expect(events.find(({ type }) => type === "run.started")?.["isolation"]).toBe(way.level);
        expect(events.find(({ type }) => type === "iteration.finished")).toMatchObject({
          outcome: "done",
          permissionDenials: [],
        });
        expect(code).toBe(0);
        // Codex keeps git's folder read-only in its own sandbox: there ralph makes the commit.
        const subject = name === "codex" && permission === "shell" ? "Write out.txt" : "write the greeting";
        expect(made.commits()).toContain(subject);
        const { path } = (await made.json("journal", "path")) as { path: string };
        expect(readFileSync(path, "utf8")).toContain("Dates are UTC.");
        expect(await made.json("note", "list")).toMatchObject({ notes: [{ content: note }] });
        expect(existsSync(join(made.dir, ".ralph/planted"))).toBe(way.sandbox !== "required");
      },
    );
  });
});
