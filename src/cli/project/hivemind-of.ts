import { homedir, hostname } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { RalphError } from "../../base/errors.ts";
import { sha256 } from "../../base/hash.ts";
import { type SafeText, safe } from "../../base/safe-text.ts";
import { directories, hivemindPath, swarmStore } from "../../config/directories.ts";
import { childEnvironment } from "../../config/environment.ts";
import { type HivemindSettings, type ProjectOrigin, swarmPlace } from "../../memory/hivemind-actions.ts";
import { safeLine } from "../../trust/safe-text.ts";
import { repositoryAddress } from "../../workspace/open-workspace.ts";
import type { Project } from "../shell/command.ts";
import { isApproved } from "../trust/approval.ts";

/**
 * Returns the memory that the user's projects share; null when it is off, or when the project's own file names a file
 * outside the user's data folder that is not approved (TRUST-5).
 */
export function hivemindOf(project: Pick<Project, "root" | "loaded">): HivemindSettings | null {
  const { store } = project.loaded.settings.hivemind;
  const { data } = directories();
  const isSwarm = store === swarmStore;
  const path = isSwarm ? swarmPlace : hivemindPath(store, data);
  if (path === null || !isApproved(project, "hivemind.store")) return null;
  let origin: Promise<ProjectOrigin> | undefined;
  return {
    path,
    ...(isSwarm ? { swarm: { folder: join(data, "ralph", "swarm"), env: childEnvironment() } } : {}),
    project: () => {
      origin ??= originOf(project.root);
      return origin;
    },
  };
}

/** Returns a sentence about what is shared and where, if nobody chose it: the hivemind is on by default. Null: somebody did. */
export function sharingOf({ root, loaded }: Pick<Project, "root" | "loaded">): SafeText | null {
  if (loaded.origins["hivemind.store"] !== "default") return null;
  const place = hivemindOf({ root, loaded })?.path;
  if (place === undefined) return null;
  return safe`Summaries of attempts and proven learnings, without secrets, are kept for your other projects in ${safeLine(place)}, on this machine.`;
}

/** As `hivemindOf`. Throws `RALPH_HIVEMIND_OFF` when there is none. */
export function requireHivemind(project: Pick<Project, "root" | "loaded">): HivemindSettings {
  const hivemind = hivemindOf(project);
  if (hivemind !== null) return hivemind;
  throw new RalphError("RALPH_HIVEMIND_OFF", "the hivemind is off: hivemind.store is off or not approved", {
    hint: "run `ralph config show` and `ralph trust show` to see why",
  });
}

/** Returns the memory that the user's projects share as it is used outside a project: what is stored there has no origin. */
export function withoutOrigin(settings: HivemindSettings): HivemindSettings {
  const nobody: ProjectOrigin = {
    id: "",
    name: safeLine(""),
    root: "",
    privateTexts: [homedir(), ...machineNames()],
  };
  return { ...settings, project: async () => nobody };
}

function machineNames(): readonly string[] {
  const machine = hostname();
  return [machine, machine.split(".")[0] ?? ""].filter((name) => name !== "localhost");
}

const publicHosts = new Set(["github.com", "gitlab.com", "bitbucket.org", "codeberg.org"]);

async function originOf(root: string): Promise<ProjectOrigin> {
  const { remote, commonDir } = await repositoryAddress(root, childEnvironment());
  const address = remote === null ? null : normalisedRemote(remote);
  const own = commonDir === null ? root : basename(commonDir) === ".git" ? dirname(commonDir) : commonDir;
  const host = address?.includes("/") ? (address.split("/")[0] ?? "") : "";
  const machine = hostname();
  const hosts = [machine, machine.split(".")[0] ?? "", publicHosts.has(host) ? "" : host];
  return {
    id: sha256(address ?? own).slice(0, 16),
    name: safeLine(basename(address ?? own).replace(/\.git$/, ""), 60),
    root,
    privateTexts: [...new Set([homedir(), own, ...hosts])].filter(
      (text) => text !== "/" && text !== "localhost",
    ),
  };
}

/** Returns `host/path` of a remote's URL, equal for all ways to write it: without user, port, scheme and `.git`. */
export function normalisedRemote(remote: string): string {
  const trimmed = remote
    .trim()
    .replace(/\/+$/, "")
    .replace(/\.git$/, "");
  const isUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed);
  const scp = isUrl ? null : /^(?:[^@/:]+@)?([^/:]{2,}):(?!\/\/)(.+)$/.exec(trimmed);
  if (scp) return `${(scp[1] ?? "").toLowerCase()}/${(scp[2] ?? "").replace(/^\/+/, "")}`;
  if (!isUrl) return resolve(trimmed);
  const url = /^[a-z][a-z0-9+.-]*:\/\/(?:[^@/]*@)?([^/:]*)(?::\d+)?\/*(.*)$/i.exec(trimmed);
  const host = (url?.[1] ?? "").toLowerCase();
  return host === "" ? join("/", url?.[2] ?? "") : `${host}/${url?.[2] ?? ""}`;
}
