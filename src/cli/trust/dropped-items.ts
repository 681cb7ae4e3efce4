import type { LoadedSettings } from "../../config/settings.ts";
import type { Approval } from "../../trust/approvals.ts";
import { type ExecutedItem, item, looserVerification } from "./executed-items.ts";

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
