import { safe } from "../../../base/safe-text.ts";
import { htmlReport, markdownReport } from "../../../page/report.ts";
import { storedJson, storedText } from "../../../trust/stored-text.ts";
import { requireRun } from "../../project/require-run.ts";
import { type CommandSpec, withProject } from "../../shell/command.ts";
import { usageError } from "../../shell/io.ts";
import { writeExport } from "../../shell/write-export.ts";
import { openWholeView } from "../../view/read-whole.ts";

/** `ralph report`: what a run did, to share (UX-3). */
export const command: CommandSpec = {
  description:
    "Shows what a run did, by default the latest: what waits for you, failures with their errors, done tasks, cost and memory. --html writes one file that needs neither network nor scripts; --md prints Markdown for a pull request or the summary of a CI job. Secrets are redacted.",
  examples: ["ralph report --html report.html", 'ralph report run-1a2b3c4d5e --md >> "$GITHUB_STEP_SUMMARY"'],
  arguments: [{ name: "[run]", description: "the id of a run (default: the latest)" }],
  options: [
    { flags: "--html <file>", description: "write one file of HTML", whenBlank: "give a file" },
    { flags: "--md", description: "print Markdown (the default)" },
    { flags: "--force", description: "replace an existing file" },
  ],
  run: async (session, { args, options }) => {
    const file = options["html"];
    if (typeof file === "string" && options["md"] === true)
      throw usageError("--html and --md cannot be combined", "use one of them");
    return withProject(session, {}, async (project) => {
      const id = args["run"];
      const runId = typeof id === "string" ? (await requireRun(project.db, id)).id : null;
      const view = openWholeView(session, project, runId);
      const model = await view.read();
      if (session.json) session.out(storedJson(model));
      else if (typeof file === "string") {
        await writeExport(session, { options }, { file, text: htmlReport(model), code: "RALPH_REPORT_FILE" });
        session.note(safe`wrote ${storedText(file)}`);
      } else session.out(markdownReport(model));
    });
  },
};
