import { RalphError } from "../../base/errors.ts";
import { count } from "../../base/text.ts";
import { storeUrl } from "../../config/environment.ts";
import { findProject } from "../../config/find-project.ts";
import { openRuns } from "../../loop/rows/run-store.ts";
import { ensureIndex } from "../../memory/repair-index.ts";
import { copyStore } from "../../store/copy-store.ts";
import { openStore } from "../../store/open-store.ts";
import { storedText } from "../../trust/stored-text.ts";
import { preparePrivateFolder } from "../project/private-folder.ts";
import { serverAddress, storeFile } from "../project/store-path.ts";
import type { CommandSpec } from "../shell/command.ts";
import { printResult, usageError } from "../shell/io.ts";
import { refuseForeign } from "../trust/refuse-foreign.ts";

/** `ralph store copy FROM TO`: moves a project between its file and a server. */
export const command: CommandSpec = {
  description:
    "Copies tasks, memory and history from the project's file to the server in RALPH_STORE_URL, or back. The target must hold nothing; the source stays as it is. The rows of each table are counted on both sides.",
  examples: ["ralph store copy file server", "ralph store copy server file"],
  arguments: [
    { name: "<from>", description: "`file` or `server`" },
    { name: "<to>", description: "the other one" },
  ],
  run: async (session, { args }) => {
    const [from, to] = [sideOf(args["from"]), sideOf(args["to"])];
    if (from === to) throw usageError(`cannot copy ${from} to ${to}`, "run `ralph store copy file server`");
    const url = storeUrl();
    if (url === undefined)
      throw usageError(
        "RALPH_STORE_URL is not set",
        "export RALPH_STORE_URL='postgres://user@host/database?schema=shop'",
      );
    const root = findProject(session.cwd)?.root ?? session.cwd;
    await refuseForeign(root);
    const paths = { file: storeFile(root, await session.loadSettings({}, root)), server: serverAddress(url) };
    if (to === "file") await preparePrivateFolder(root);
    const source = await openStore({ path: paths[from], root, create: false });
    try {
      const [open] = await openRuns(source);
      if (open)
        throw new RalphError("RALPH_RUN_ACTIVE", `${open.id} of ${source.location} has not ended`, {
          hint: "wait for it, or run `ralph run` to recover it",
        });
      const target = await openStore({ path: paths[to], root });
      try {
        const tables = await copyStore(source, target);
        await ensureIndex(target);
        const rows = tables.reduce((sum, table) => sum + table.rows, 0);
        const text = `copied ${count(rows, "row")} of ${count(tables.length, "table")} to ${target.location}`;
        printResult(session, { from, to, rows, tables }, storedText(text));
        session.note(
          to === "file"
            ? "hint: unset RALPH_STORE_URL to use the file"
            : "hint: keep RALPH_STORE_URL set to use the server",
        );
      } finally {
        await target.close();
      }
    } finally {
      await source.close();
    }
  },
};

function sideOf(word: string | readonly string[] | undefined): "file" | "server" {
  if (word === "file" || word === "server") return word;
  throw usageError(`unknown store ${JSON.stringify(word)}`, "use `file` or `server`");
}
