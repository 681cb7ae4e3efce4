import { sha256 } from "../../base/hash.ts";
import type { JsonValue } from "../../base/json.ts";
import { settingsOf } from "../../base/shared-settings.ts";
import type { VerifyCommand } from "../../base/verify-command.ts";
import { directories, hivemindPath, isInDataFolder, swarmStore } from "../../config/directories.ts";
import type { EventHookSettings } from "../../config/event-hook.ts";
import type { LoadedSettings } from "../../config/settings.ts";
import type { Approval } from "../../trust/approvals.ts";

/** Something that the project's own files make ralph execute, read, write or contact. */
export interface ExecutedItem extends Pick<Approval, "kind" | "sha256"> {
  /** The setting or task that names it: `verify[0]`, `agents.command`, `verification of t-1`. */
  readonly place: string;
  /** The command line, URL or folder, for people. */
  readonly text: string;
}

/** Something that ralph executes only when it is approved. */
export interface Approvable extends ExecutedItem {
  /** `place: text`, for people. */
  readonly what: string;
  readonly approved: boolean;
  /** The text that was approved last in the same place and is not executed any more; null: none. */
  readonly was: string | null;
}

export interface ApprovalList {
  readonly items: readonly Approvable[];
  /** Strict settings, which an approval records without a question. */
  readonly firm: readonly (ExecutedItem & Pick<Approval, "what">)[];
}

/** Which agents are listed: those of this run, or also those that `--agent` could select. */
export type AgentScope = "selected" | "all";

/**
 * Lists what the settings of the project's own file make ralph execute (TRUST-5): agents, commands that they may run, verification commands, hooks,
 * the folders of event files and journals, and what loosens verification or the isolation of agents. A
 * setting that a flag, a variable or the user's file overrides is not part of it. The hashes do not depend on other settings, comments
 * or layout.
 */
export function executedItems(
  { settings, origins, projectFile, overridden }: LoadedSettings,
  scope: AgentScope = "all",
): readonly ExecutedItem[] {
  if (projectFile === null) return [];
  const isOwn = (key: string): boolean => origins[key] === projectFile.path;
  const { events, sandbox } = settings;
  const reviewer = settings.review.agent === null ? [] : [settings.review.agent];
  const names = new Set([
    ...settings.agent,
    ...reviewer,
    ...(scope === "all" ? Object.keys(settings.agents) : []),
  ]);
  const items: ExecutedItem[] = [...names].flatMap((name) => agentItem(settings, name, isOwn));
  if (isOwn("allow"))
    items.push(
      ...settings.allow.map((text, n) => item("command", `allow[${n}]`, { text, identity: ["allow", text] })),
    );
  items.push(...verificationItems(settings, isOwn, overridden));
  if (isOwn("events.hooks")) items.push(...events.hooks.map(hookItem));
  items.push(...folderItems(settings, isOwn));
  if (isOwn("hivemind.store") && settings.hivemind.store === swarmStore)
    items.push(item("command", "hivemind.store", { text: "swarm memory", identity: swarmStore }));
  if (isOwn("sandbox")) items.push(...sandboxItems(sandbox, overridden));
  return items;
}

function sandboxItems(
  { level, network, read, write, verification, prefix }: LoadedSettings["settings"]["sandbox"],
  overridden: LoadedSettings["overridden"],
): readonly ExecutedItem[] {
  const words = [
    ...(level === "off" ? ["agents without isolation"] : []),
    ...(overridden.includes("sandbox") && level !== "strict" ? ["instead of your own configuration"] : []),
    ...(prefix === null ? [] : [`agents in \`${commandLine(prefix)}\``]),
    ...(read.length === 0 ? [] : [`agents can read ${read.join(", ")}`]),
    ...(write.length === 0 ? [] : [`agents can write ${write.join(", ")}`]),
    ...(verification ? [] : ["verification outside the sandbox"]),
  ];
  if (words.length === 0) return [];
  const identity = { level, network, read, write, verification, prefix };
  return [item("sandbox", "sandbox", { text: words.join("; "), identity })];
}

/** Returns the verification commands, and what lets work pass that they do not check. */
function verificationItems(
  { verify, verifySetup, verifyGuard }: LoadedSettings["settings"],
  isOwn: (key: string) => boolean,
  overridden: LoadedSettings["overridden"],
): readonly ExecutedItem[] {
  const items: ExecutedItem[] = [];
  if (isOwn("verify") && verify !== null)
    items.push(
      ...verify.map((command, n) => commandItem(`verify[${n}]`, command)),
      ...(verify.length === 0 ? [looserVerification("no command verifies the work", [])] : []),
    );
  if (isOwn("verifySetup"))
    items.push(...verifySetup.map((command, n) => commandItem(`verifySetup[${n}]`, command)));
  const isReplaced = verifyGuard === "report" && overridden.includes("verifyGuard");
  if (isOwn("verifyGuard") && (verifyGuard === "off" || isReplaced)) {
    const loosened = isReplaced
      ? "instead of your own configuration"
      : "changes to what verification reads pass";
    items.push(looserVerification(`verifyGuard ${verifyGuard}: ${loosened}`, ["verifyGuard", verifyGuard]));
  }
  return items;
}

/** Returns the item of a verification command. Its hash is that of the command line, unless it runs for some files only. */
export function commandItem(place: string, { run, when }: Pick<VerifyCommand, "run" | "when">): ExecutedItem {
  if (when === undefined) return { kind: "command", sha256: sha256(run), place, text: run };
  return item("command", place, { text: `${run}  (for ${when.join(", ")})`, identity: [run, when] });
}

/** Returns the item of something that lets work pass unverified. */
function looserVerification(text: string, identity: readonly JsonValue[]): ExecutedItem {
  return item("command", "verification", { text, identity: ["verification", ...identity] });
}

/** Returns the folders outside the project that ralph writes to. The user's data folder is where the hivemind belongs. */
function folderItems(
  { events, journal, hivemind }: LoadedSettings["settings"],
  isOwn: (key: string) => boolean,
): readonly ExecutedItem[] {
  const { data } = directories();
  const shared = hivemindPath(hivemind.store, data);
  const isElsewhere = shared !== null && !isInDataFolder(shared, data);
  const folders = [
    ["events.dir", "event files", events.dir],
    ["journal.dir", "journals", journal.dir],
    ["hivemind.store", "memory of all projects", isElsewhere ? shared : null],
  ] as const;
  return folders.flatMap(([key, what, path]) =>
    isOwn(key) && path !== null ? item("folder", key, { text: `${what} in ${path}`, identity: path }) : [],
  );
}

function agentItem(
  { agent: selected, agents }: LoadedSettings["settings"],
  name: string,
  isOwn: (key: string) => boolean,
): readonly ExecutedItem[] {
  const agent = settingsOf(agents, name);
  if (!agent) return [];
  const own = <T>(field: string, value: T | undefined): T | null =>
    value !== undefined && isOwn(`agents.${name}.${field}`) ? value : null;
  const fields = [
    own("program", agent.program),
    own("argv", agent.argv),
    own("extraArgs", agent.extraArgs),
    own("permission", agent.permission),
  ];
  const isNamed = isOwn("agent") && selected.includes(name);
  if (!isNamed && fields.every((field) => field === null)) return [];
  const [first = name, ...rest] = agent.argv ?? [];
  const argv = [agent.program ?? first, ...rest, ...(agent.extraArgs ?? [])];
  const permission = agent.permission ? ` (permission ${agent.permission})` : "";
  const text = `${commandLine(argv)}${permission}`;
  return [item("agent", `agents.${name}`, { text, identity: [name, ...fields] })];
}

function hookItem({ on, run, url }: EventHookSettings, n: number): ExecutedItem {
  const action = run === null ? `POST ${url}` : commandLine(run);
  return item("hook", `events.hooks[${n}]`, {
    text: `on ${on.join(", ")}: ${action}`,
    identity: [on, run, url],
  });
}

/** Makes an item; `identity` is what its hash is of. */
function item(
  kind: ExecutedItem["kind"],
  place: string,
  { text, identity }: { readonly text: string; readonly identity: JsonValue },
): ExecutedItem {
  return { kind, sha256: sha256(JSON.stringify(identity)), place, text };
}

/** Quotes the words that a shell would read differently. */
function commandLine(words: readonly string[]): string {
  return words.map((word) => (/^[\w./:=@,+-]+$/.test(word) ? word : JSON.stringify(word))).join(" ");
}

type Known = Pick<Approval, "kind" | "sha256">;

/** Returns what two approvals of the same thing share. */
export function keyOf({ kind, sha256 }: Known): string {
  return `${kind} ${sha256}`;
}

const firmGuard = item("command", "verifyGuard", {
  text: "strict or clean",
  identity: ["verifyGuard", "firm"],
});
const firmSandbox = item("sandbox", "sandbox level", { text: "strict", identity: ["sandbox", "firm"] });
/** Settings that a project can make stricter, with what then stays on record, and what its absence is. */
const firm = [
  {
    key: "verifyGuard",
    is: ({ verifyGuard }: LoadedSettings["settings"]) => verifyGuard === "strict" || verifyGuard === "clean",
    kept: firmGuard,
    gone: looserVerification("verifyGuard is no longer strict or clean", ["without", firmGuard.sha256]),
  },
  {
    key: "sandbox",
    is: ({ sandbox }: LoadedSettings["settings"]) => sandbox.level === "strict",
    kept: firmSandbox,
    gone: item("sandbox", "sandbox", {
      text: "agents are no longer in the strict sandbox",
      identity: ["without", firmSandbox.sha256],
    }),
  },
] as const;

/** Returns what the project's own file sets more strictly than the default. */
export function firmItems({ settings, origins, projectFile }: LoadedSettings): readonly ExecutedItem[] {
  if (projectFile === null) return [];
  return firm.flatMap(({ key, is, kept }) =>
    origins[key] === projectFile.path && is(settings) ? [kept] : [],
  );
}

/**
 * Returns an item for each protection that a person approved and that the project's own file, or its absence, has dropped since: a
 * branch of an agent could have. A protection is a verification command, a strict guard or a strict sandbox.
 */
export function droppedItems(
  loaded: LoadedSettings,
  items: readonly ExecutedItem[],
  known: readonly Approval[],
): readonly ExecutedItem[] {
  const { settings, origins, projectFile } = loaded;
  const approved = new Set(known.map(keyOf));
  const isOpen = (key: string): boolean => origins[key] === "default" || origins[key] === projectFile?.path;
  const gone = firm.flatMap((one) =>
    isOpen(one.key) && approved.has(keyOf(one.kept)) && !one.is(settings) ? [one.gone] : [],
  );
  return [...gone, ...(isOpen("verify") ? droppedCommands(items, known) : [])];
}

/** A command that another one replaces is named by that one's own item. */
function droppedCommands(
  items: readonly ExecutedItem[],
  known: readonly Approval[],
): readonly ExecutedItem[] {
  const approved = new Set(known.map(keyOf));
  const kept = new Set(items.map(keyOf));
  const newPlaces = items.filter((item) => !approved.has(keyOf(item))).map(({ place }) => place);
  const last = new Map(known.map((item) => [item.place, item]));
  return [...last.values()]
    .filter(({ place }) => place.startsWith("verify[") && !newPlaces.includes(place))
    .filter((item) => !kept.has(keyOf(item)))
    .map(({ what, sha256 }) =>
      looserVerification(`without \`${what.replace(/^.*?: /, "")}\`, which you approved`, [
        "without",
        sha256,
      ]),
    );
}
