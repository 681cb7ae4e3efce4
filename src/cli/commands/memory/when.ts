import { RalphError } from "../../../base/errors.ts";
import { type SafeText, safe } from "../../../base/safe-text.ts";
import { count } from "../../../base/text.ts";
import { storedJson, storedText } from "../../../trust/stored-text.ts";
import { askAgent, readOnlyAgent } from "../../project/choose-agents.ts";
import { type CommandSpec, inProject, type Project, type Session } from "../../shell/command.ts";
import { askingModel } from "../../trust/confinement.ts";
import { learningActions } from "./with-collection.ts";

/** Maximum number of learnings in the one request. */
const maxAsked = 150;
const timeoutMs = 180_000;

/** `ralph memory when` (LEARN-13). */
export const command: CommandSpec = {
  description: `Asks the cheapest model of your agent, in one request without tools, in which later tasks each learning would help, and stores that with the learnings that lack it after you agree (the newest ${maxAsked}). A task that says the same in other words then finds the lesson. Change one with \`ralph memory edit ID --when TEXT\`.`,
  examples: ["ralph memory when", "ralph memory when --yes"],
  options: [{ flags: "--yes", description: "store what the model proposes without asking" }],
  run: inProject(async (session, project, { options }) => {
    const actions = learningActions(session, project);
    const all = await actions.list({ status: ["active", "stale"] });
    const asked = all
      .filter(({ when, category }) => when === "" && category !== "summary")
      .slice(0, maxAsked);
    const answer = await ask(session, project, asked.length > 0 && actions.whenPrompt(asked));
    const proposals = actions.readWhen(answer?.text ?? "", asked);
    if (!session.json) for (const { id, when } of proposals) session.out(safe`${storedText(id)} ${when}`);
    const mayAsk = proposals.length > 0 && session.canAsk;
    const agreed = options["yes"] === true || (mayAsk && (await session.confirm("Store them?", true)));
    const stored = agreed ? proposals : [];
    for (const { id, when } of stored) await actions.edit(id, { when });
    const result = { success: true, stored: stored.length, costUsd: answer?.costUsd ?? null, proposals };
    if (session.json) session.out(storedJson(result));
    note(session, { asked: asked.length, proposed: proposals.length, stored: stored.length });
  }),
};

type Counts = Readonly<Record<"asked" | "proposed" | "stored", number>>;

function note(session: Session, { asked, proposed, stored }: Counts): void {
  const found = count(proposed, "proposal");
  session.note(safe`${found} for ${count(asked, "learning")} that lacked it, ${stored} stored`);
  if (proposed > stored) session.note("hint: run `ralph memory when --yes` to store them");
}

async function ask(session: Session, project: Project, prompt: SafeText | false) {
  if (prompt === false) return null;
  const { settings } = project.loaded;
  const agent = readOnlyAgent(settings, settings.agent[0] ?? "claude");
  const model = agent.tiers[0];
  const result = await askingModel(session, project, (place, signal) =>
    askAgent(agent, { ...place, taskId: "when", model, prompt, signal, timeoutMs }),
  );
  if (result.error)
    throw new RalphError("RALPH_MEMORY_NO_ANSWER", `the model gave no answer: ${result.error.message}`, {
      hint: result.error.hint ?? "run `ralph memory when` again later",
    });
  return { text: result.finalMessage, costUsd: result.costUsd };
}
