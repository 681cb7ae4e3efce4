import { readFileSync, realpathSync } from "node:fs";
import { mkdir, open, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { messageOf, RalphError, systemCode } from "../base/errors.ts";
import { isObject, type JsonObject, type JsonValue, parseJson } from "../base/json.ts";
import { clip, oneLine } from "../base/text.ts";
import { redact } from "./redact.ts";
import { writeFileSafely, writeRefused } from "./safe-file.ts";

/** `config`: a configuration file's bytes; `command`: a verification command's text. */
type ApprovalKind = "config" | "command";

interface Approval {
  readonly kind: ApprovalKind;
  readonly sha256: string;
  /** For people: what it was when it was approved, redacted and cut. */
  readonly what: string;
  /** ISO 8601. */
  readonly approvedAt: string;
}

/**
 * What a person has approved that one project makes ralph execute (TRUST-5). Kept in a file of the user's outside all
 * repositories, by the project's real path and a hash of the content: a changed or moved file needs a new approval.
 */
export interface Approvals {
  isApproved(kind: ApprovalKind, sha256: string): boolean;
  /** Adds to what is approved now, whatever other processes have added meanwhile. */
  approve(items: readonly Pick<Approval, "kind" | "sha256" | "what">[], now?: Date): Promise<void>;
  list(): readonly Approval[];
}

type Projects = Readonly<Record<string, readonly Approval[]>>;

/** After waiting this long for a lock, its owner is taken for dead. */
const staleMs = 5000;

/**
 * The approvals for `project` in `file`. Reading and approving throw RALPH_TRUST_APPROVALS_CORRUPT when the file is
 * there and cannot be understood: it is never taken for empty, and never overwritten.
 */
export function openApprovals(file: string, project: string): Approvals {
  const root = realPath(project);
  const list = (): readonly Approval[] => readProjects(file)[root] ?? [];
  return {
    list,
    isApproved: (kind, sha256) =>
      list().some((approval) => approval.kind === kind && approval.sha256 === sha256),
    approve: async (items, now = new Date()) => {
      const approved = items.map(({ kind, sha256, what }) => {
        return { kind, sha256, what: clip(oneLine(redact(what)), 300), approvedAt: now.toISOString() };
      });
      await add(file, root, approved);
    },
  };
}

async function add(file: string, root: string, approved: readonly Approval[]): Promise<void> {
  const folder = dirname(file);
  await writing(folder, () => makeFolder(folder));
  await withFileLock(file, async () => {
    const projects = readProjects(file);
    const known = projects[root] ?? [];
    const added = approved.filter((item) => !known.some((other) => isSame(item, other)));
    if (added.length === 0) return;
    const merged = { version: 1, projects: { ...projects, [root]: [...known, ...added] } };
    await writeFileSafely(file, `${JSON.stringify(merged, null, 2)}\n`, { root: folder });
  });
}

/** Makes missing folders one by one: Node's own recursion reports a read-only file system as a missing folder. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (systemCode(error) === "EEXIST") return;
    if (systemCode(error) !== "ENOENT" || dirname(folder) === folder) throw error;
    await makeFolder(dirname(folder));
    await mkdir(folder, { mode: 0o700 }).catch((again: unknown) => {
      if (systemCode(again) !== "EEXIST") throw again;
    });
  }
}

/** Runs `work` while no other process does the same for this file. It takes milliseconds: an old lock is a dead one. */
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

/** Does `work`, which writes `path`; throws RALPH_TRUST_APPROVALS_UNWRITABLE where the system refuses. */
async function writing<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { message } = writeRefused(path, error);
    throw new RalphError("RALPH_TRUST_APPROVALS_UNWRITABLE", message, {
      hint: "make the folder writable, or set XDG_STATE_HOME to one that is",
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
  if (!isObject(content)) throw corrupt(file, "it is no JSON object");
  if (content["version"] !== 1) throw corrupt(file, "another version of ralph wrote it");
  const projects = content["projects"];
  if (!isObject(projects)) throw corrupt(file, "it has no projects");
  return Object.fromEntries(Object.entries(projects).map(([root, list]) => [root, approvals(file, list)]));
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw new RalphError("RALPH_TRUST_APPROVALS_UNREADABLE", `cannot read ${file}: ${messageOf(error)}`, {
      hint: "look at its permissions",
      cause: error,
    });
  }
}

function approvals(file: string, list: JsonValue | undefined): readonly Approval[] {
  const items: readonly JsonValue[] = Array.isArray(list) ? list : [null];
  return items.map((item) => {
    if (!isObject(item) || !isApproval(item)) throw corrupt(file, "an approval in it is incomplete");
    return item;
  });
}

function isApproval(item: JsonObject): item is JsonObject & Approval {
  const { kind, sha256, what, approvedAt } = item;
  const isHash = typeof sha256 === "string" && /^[0-9a-f]{64}$/.test(sha256);
  return (
    (kind === "config" || kind === "command") &&
    isHash &&
    typeof what === "string" &&
    typeof approvedAt === "string"
  );
}

function corrupt(file: string, why: string): RalphError {
  return new RalphError("RALPH_TRUST_APPROVALS_CORRUPT", `cannot use the approvals in ${file}: ${why}`, {
    hint: "look at the file; or move it away, and approve again with: ralph trust approve",
  });
}
