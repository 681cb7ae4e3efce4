import { readFileSync, realpathSync, statSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { makeFolders } from "../base/careful-files.ts";
import { messageOf, RalphError, systemCode } from "../base/errors.ts";
import { isObject, type JsonObject, type JsonValue, parseJson } from "../base/json.ts";
import { clip, oneLine } from "../base/text.ts";
import { writeFileSafely, writeRefused } from "./safe-file.ts";
import { redactedText } from "./safe-text.ts";

/**
 * `agent`: a program with its arguments and permission; `command`: a verification command, or what lets work pass without
 * one; `hook`: a program or URL that receives events; `folder`: a folder for event files; `sandbox`: the isolation
 * of agents; `prompt`: the bytes of a prompt template.
 */
const kinds = ["agent", "command", "hook", "folder", "sandbox", "prompt"] as const;
type ApprovalKind = (typeof kinds)[number];

export interface Approval {
  readonly kind: ApprovalKind;
  /** The hash of exactly what is executed. */
  readonly sha256: string;
  /** For people: its text at the time of the approval, redacted and cut. */
  readonly what: string;
  /** The setting or task that names it, such as `verify[0]`. */
  readonly place: string;
  /** ISO 8601. */
  readonly approvedAt: string;
}

/**
 * The items that a person allowed ralph to execute in one project (TRUST-5). Stored in a user file outside all repositories, by the
 * project's real path and a hash of what is executed: a changed command or a moved project needs a new approval.
 */
export interface Approvals {
  isApproved(kind: ApprovalKind, sha256: string): boolean;
  /** Adds approvals and keeps those that other processes have added meanwhile. */
  approve(items: readonly Omit<Approval, "approvedAt">[], now?: Date): Promise<void>;
  /** Oldest first. */
  list(): readonly Approval[];
}

type Projects = Readonly<Record<string, readonly Approval[]>>;

/** After waiting this long for a lock, its owner is presumed dead. */
const staleMs = 5000;

/**
 * Opens the approvals for `project` in `file`. Reading and approving throw RALPH_TRUST_APPROVALS_CORRUPT if the file
 * exists but is invalid: it is never treated as empty and never overwritten.
 */
export function openApprovals(file: string, project: string): Approvals {
  const root = realPath(project);
  const list = (): readonly Approval[] => readProjects(file)[root] ?? [];
  return {
    list,
    isApproved: (kind, sha256) =>
      list().some((approval) => approval.kind === kind && approval.sha256 === sha256),
    approve: async (items, now = new Date()) => {
      const approved = items.map(({ kind, sha256, what, place }) => ({
        ...{ kind, sha256, place, what: clip(oneLine(redactedText(what)), 2000) },
        approvedAt: now.toISOString(),
      }));
      await add(file, root, approved);
    },
  };
}

async function add(file: string, root: string, approved: readonly Approval[]): Promise<void> {
  const folder = dirname(file);
  await writing(folder, async () => makeFolders(folder));
  await withFileLock(file, async () => {
    const projects = readProjects(file);
    const known = projects[root] ?? [];
    const added = approved.filter((item) => !known.some((other) => isSame(item, other)));
    if (added.length === 0) return;
    const merged = { version: 1, projects: { ...projects, [root]: [...known, ...added] } };
    await writeFileSafely(file, `${JSON.stringify(merged, null, 2)}\n`, { root: folder });
  });
}

/** Runs `work` while holding the file's lock. `work` takes milliseconds, so an old lock is stale. */
async function withFileLock(file: string, work: () => Promise<void>): Promise<void> {
  const lock = `${file}.lock`;
  for (let waited = 0; !(await isLocked(lock)); waited += 20) {
    if (waited >= staleMs) await writing(lock, () => rm(lock, { force: true }));
    await setTimeout(20);
  }
  try {
    await work();
  } finally {
    await rm(lock, { force: true });
  }
}

async function isLocked(lock: string): Promise<boolean> {
  return writing(lock, async () => {
    try {
      await (await open(lock, "wx", 0o600)).close();
      return true;
    } catch (error) {
      if (systemCode(error) === "EEXIST") return false;
      throw error;
    }
  });
}

/** Runs `work`, which writes `path`; throws RALPH_TRUST_APPROVALS_UNWRITABLE if the system refuses. */
async function writing<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { message } = writeRefused(path, error);
    throw new RalphError("RALPH_TRUST_APPROVALS_UNWRITABLE", message, {
      hint: "make the folder writable, or set XDG_STATE_HOME to a writable one",
      cause: error,
    });
  }
}

function isSame(a: Approval, b: Approval): boolean {
  return a.kind === b.kind && a.sha256 === b.sha256;
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
    return resolve(path);
  }
}

function readProjects(file: string): Projects {
  const content = parseJson(readText(file) ?? '{"version":1,"projects":{}}');
  if (!isObject(content)) throw corrupt(file, "not a JSON object");
  if (content["version"] !== 1) throw corrupt(file, "written by another version of ralph");
  const projects = content["projects"];
  if (!isObject(projects)) throw corrupt(file, "it lists no projects");
  return Object.fromEntries(Object.entries(projects).map(([root, list]) => [root, approvals(file, list)]));
}

function readText(file: string): string | undefined {
  try {
    // Opening a pipe would block.
    if (!statSync(file).isFile()) throw unreadable(file, "it is not a file", "remove it, and approve again");
    return readFileSync(file, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    if (error instanceof RalphError) throw error;
    throw unreadable(file, messageOf(error), "check its permissions", error);
  }
}

function unreadable(file: string, why: string, hint: string, cause?: unknown): RalphError {
  return new RalphError("RALPH_TRUST_APPROVALS_UNREADABLE", `cannot read ${file}: ${why}`, { hint, cause });
}

function approvals(file: string, list: JsonValue | undefined): readonly Approval[] {
  const items: readonly JsonValue[] = Array.isArray(list) ? list : [null];
  return items.map((item) => {
    if (!isObject(item) || !isApproval(item)) throw corrupt(file, "an approval is incomplete");
    return item;
  });
}

function isApproval(item: JsonObject): item is JsonObject & Approval {
  const { kind, sha256, what, approvedAt, place } = item;
  const isHash = typeof sha256 === "string" && /^[0-9a-f]{64}$/.test(sha256);
  return (
    kinds.some((one) => one === kind) &&
    isHash &&
    typeof what === "string" &&
    typeof approvedAt === "string" &&
    typeof place === "string"
  );
}

function corrupt(file: string, why: string): RalphError {
  return new RalphError("RALPH_TRUST_APPROVALS_CORRUPT", `invalid approvals file ${file}: ${why}`, {
    hint: "check the file; or move it elsewhere and run `ralph trust approve` again",
  });
}
