import { join, resolve } from "node:path";
import { defaultStore } from "../../config/default-store.ts";
import { findProject } from "../../config/find-project.ts";
import { hasPending } from "../../events/outbox-store.ts";
import { openStore } from "../../store/open-store.ts";
import { quickParse } from "../shell/quick-parse.ts";
import { configurationText, readRememberedAgents } from "./remembered-agents.ts";
import { reportStatus, type StatusFacts, statusFacts } from "./status-report.ts";

/** What a command says on each stream. */
export interface QuickOutput {
  readonly out: string;
  readonly note: string;
}

/**
 * The answer to a plain `ralph status`, whose further words these are, from what that needs and no more; undefined when there is anything unusual
 * about the command or the project: the whole program then begins at the beginning, as nothing was changed or said.
 */
export async function quickStatus(words: readonly string[]): Promise<QuickOutput | undefined> {
  const options = quickParse({}, words)?.options;
  if (!options || options["config"] === false) return undefined;
  const facts = await quickFacts();
  if (!facts) return undefined;
  const said = { out: "", note: "" };
  const session = {
    json: options["json"] === true,
    out: (text: string) => {
      said.out += `${text}\n`;
    },
    note: (text: string) => {
      if (options["quiet"] !== true) said.note += `${text}\n`;
    },
  };
  reportStatus(session, facts);
  return said;
}

async function quickFacts(): Promise<StatusFacts | undefined> {
  const root = findProject(resolve("."))?.root;
  const configuration = root === undefined ? undefined : configurationText(root);
  if (root === undefined || configuration === undefined) return undefined;
  const agents = readRememberedAgents(root, configuration);
  if (!agents) return undefined;
  const db = await openStore({ path: join(root, defaultStore), create: false });
  try {
    // Events of a killed process go to the log whenever a project is opened.
    return (await hasPending(db)) ? undefined : await statusFacts(db, agents);
  } finally {
    await db.close();
  }
}
