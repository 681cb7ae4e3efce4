import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sandbox } from "../src/agents/port/confinement.ts";
import { openSandbox } from "../src/agents/sandbox.ts";
import { findBubblewrap } from "../src/process/bubblewrap.ts";

const found = await findBubblewrap();

/** Whether this machine can make a sandbox; otherwise its tests are skipped, and a sentence on stderr says why. */
export const canSandbox: boolean = typeof found !== "string";

if (typeof found === "string") process.stderr.write(`skipped: the tests of \`sandbox: strict\`: ${found}\n`);

/** The sandbox of a project in `folder`, whose user has an empty home; it shows what is in `read`. */
export async function strictSandbox(folder: string, read: readonly string[] = []): Promise<Sandbox | null> {
  const home = mkdtempSync(join(process.env["HOME"] ?? tmpdir(), "sandbox-"));
  const settings = {
    level: "strict",
    network: "on",
    read,
    write: [],
    verification: true,
    prefix: null,
  } as const;
  const places = {
    project: [folder],
    clean: join(folder, "clean"),
    store: join(folder, ".ralph"),
    hooks: [],
    besides: [],
    home,
    hidden: [],
    read: [],
    ralph: [process.execPath],
    locked: [],
  } as const;
  return (await openSandbox(settings, async () => places)).sandbox;
}
