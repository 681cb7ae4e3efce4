import { join, resolve } from "node:path";
import { type SafeText, safe } from "../../../base/safe-text.ts";
import { defaultStore, findProject, foreignFolder } from "../../../config/find-project.ts";
import { openStore } from "../../../store/open-store.ts";
import { sourcePaths } from "../../../tasks/graph/task-store.ts";
import { configurationText, listSignatures, readRemembered, sameSignatures } from "./status-cache.ts";
import { reportStatus, type StatusFacts, statusFacts } from "./status-report.ts";

/** The output of a command on stdout and stderr. */
export interface QuickOutput {
  readonly out: SafeText;
  readonly note: SafeText;
}

/**
 * Answers a plain `ralph status`, also with `--json` or `--quiet`, reading only what that needs. Returns undefined when the
 * command or the project is unusual; the full program then starts, as nothing was changed or printed.
 */
export async function quickStatus(words: readonly string[]): Promise<QuickOutput | undefined> {
  if (words.some((word) => word !== "--json" && word !== "--quiet")) return undefined;
  const facts = await quickFacts();
  if (!facts) return undefined;
  const output = { out: safe``, note: safe`` };
  const session = {
    json: words.includes("--json"),
    out: (text: SafeText) => {
      output.out = safe`${output.out}${text}\n`;
    },
    note: (text: SafeText) => {
      if (!words.includes("--quiet")) output.note = safe`${output.note}${text}\n`;
    },
  };
  reportStatus(session, facts, { all: false });
  return output;
}

async function quickFacts(): Promise<StatusFacts | undefined> {
  const root = findProject(resolve("."))?.root;
  const configuration = root === undefined ? undefined : configurationText(root);
  if (root === undefined || configuration === undefined || foreignFolder(root)) return undefined;
  const remembered = readRemembered(root, configuration);
  if (!remembered) return undefined;
  const db = await openStore({ path: join(root, defaultStore), create: false });
  try {
    const { agents, lists, hivemind, journals } = remembered;
    const facts = await statusFacts(db, { agent: agents, root, hivemind, journals, stepText });
    // An active run ticks its lists itself.
    if (lists === null || facts.run?.active) return facts;
    return sameSignatures(lists, listSignatures(root, await sourcePaths(db))) ? facts : undefined;
  } finally {
    await db.close();
  }
}

/** Loads redaction only for an agent's own text: what the store holds is redacted. */
async function stepText(step: string, root: string): Promise<SafeText> {
  return (await import("../../../ui/step-text.ts")).stepText(step, root);
}
