import { agentNames } from "../../agents/agents.ts";
import type { Agent } from "../../agents/port/agent.ts";
import type { OfferedModel } from "../../agents/port/model-offer.ts";
import { pricePerMillion } from "../../agents/usual-price.ts";
import { decimal, type SafeText, safe } from "../../base/safe-text.ts";
import { findProject } from "../../config/find-project.ts";
import type { LoadedSettings } from "../../config/settings.ts";
import { safeJson, safeLine } from "../../trust/safe-text.ts";
import { configuredAgent } from "../project/choose-agents.ts";
import type { CommandSpec, Session } from "../shell/command.ts";
import { mayStart } from "../trust/approval.ts";

/** `ralph models [AGENT]`. */
export const command: CommandSpec = {
  description:
    "Asks the agent's own program which models it offers, with their efforts and the price of a million tokens in dollars (yours, else the agent's, else that of the price table). No model is called, so it costs nothing. The names are those of `tiers` and `--model`.",
  examples: ["ralph models", "ralph models codex", "ralph models claude --json"],
  arguments: [
    { name: "[agent]", description: "the agent; without it those of the configuration", choices: agentNames },
  ],
  run: async (session, { args }) => {
    const loaded = await session.loadSettings();
    const named = args["agent"];
    const names = typeof named === "string" ? [named] : loaded.settings.agent;
    const root = findProject(session.cwd)?.root ?? session.cwd;
    const listed = await Promise.all(names.map((name) => offerOf(session, { root, loaded }, name)));
    if (session.json) session.out(safeJson(listed));
    else for (const one of listed) print(session, one);
    return listed.some(({ models }) => models !== null) ? 0 : 5;
  },
};

type Priced = OfferedModel & { readonly tier: boolean };

interface Listed {
  readonly agent: string;
  readonly paidBy: string | null;
  /** Null: `problem` says why. */
  readonly models: readonly Priced[] | null;
  readonly problem: string | null;
}

async function offerOf(
  session: Session,
  project: { readonly root: string; readonly loaded: LoadedSettings },
  name: string,
): Promise<Listed> {
  const { settings } = project.loaded;
  const none = { agent: name, paidBy: null, models: null };
  if (!mayStart(project, name))
    return { ...none, problem: "not asked: the configuration that names its program is not approved" };
  const agent: Agent = configuredAgent(settings, name);
  const missing = agent.missing(project.root);
  if (missing) return { ...none, problem: missing.message };
  const offer = await agent.models?.ask(project.root);
  if (!offer) return { ...none, problem: "it does not state which models it offers" };
  const at = { now: session.clock.now(), own: settings.prices };
  const priced = offer.models.map(async (model): Promise<Priced> => {
    const tier = agent.tiers.some((one) => one === model.name || one.startsWith(`${model.name}:`));
    return { ...model, price: await pricePerMillion(model, at), tier };
  });
  return {
    agent: name,
    paidBy: agent.payment?.()?.by ?? null,
    models: await Promise.all(priced),
    problem: null,
  };
}

const maxName = 60;

function print(session: Session, { agent, paidBy, models, problem }: Listed): void {
  if (!models) {
    session.note(safe`${safeLine(agent, maxName)}: ${safeLine(problem ?? "", 300)}`);
    return;
  }
  session.out(
    safe`${safeLine(agent, maxName)}${paidBy === null ? "" : safe` · paid by ${safeLine(paidBy, maxName)}`}`,
  );
  const rows = models.map((one): readonly [SafeText, SafeText, SafeText] => [
    safe`${one.tier ? "*" : " "} ${safeLine(one.name, maxName)}${one.means === null || one.means === one.name ? "" : safe` = ${safeLine(one.means, maxName)}`}`,
    one.price ? safe`${decimal(one.price.input, 2)} / ${decimal(one.price.output, 2)}` : safe`–`,
    safeLine((one.efforts ?? []).join(" "), 100),
  ]);
  const all = [[safe`  model`, safe`$ in / out`, safe`efforts`] as const, ...rows];
  const width = (at: 0 | 1): number => all.reduce((widest, row) => Math.max(widest, row[at].length), 0);
  for (const [name, price, efforts] of all)
    session.out(safe`${name.padEnd(width(0))}  ${price.padEnd(width(1))}  ${efforts}`);
  session.note(
    "* a tier of this project; `agents.NAME.tiers` and `--model` take these names, with an effort as `model:effort`",
  );
}
