import { delimiter, join, relative } from "node:path";
import { sha256 } from "../../base/hash.ts";
import type { VerifyCommand } from "../../base/verify-command.ts";
import type { CheckResult } from "../../outcome/outcome.ts";
import { verify } from "../../outcome/verify.ts";
import {
  type CleanTree,
  checkOutClean,
  fillCleanTree,
  objectsOf,
  openCleanTree,
  removeFrom,
  untrackedIn,
} from "../../workspace/clean-tree.ts";
import { removeFolder } from "../../workspace/git/remove-folder.ts";
import type { LoopSetup } from "../rows/loop.ts";
import type { CleanVerification } from "../rows/slot.ts";
import { createTempFolder } from "./temp-folder.ts";

/** Files on which the result of setup commands depends. */
const setupInputs =
  /(?:^|\/)(?:package\.json|package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|pnpm-workspace\.yaml|bun\.lockb?|\.npmrc|\.yarnrc(?:\.yml)?|\.nvmrc|\.node-version|\.tool-versions|requirements[\w.-]*\.(?:txt|in)|constraints[\w.-]*\.txt|pyproject\.toml|setup\.(?:py|cfg)|(?:poetry|uv|pdm)\.lock|Pipfile(?:\.lock)?|\.python-version|Cargo\.(?:toml|lock)|go\.(?:mod|sum)|Gemfile(?:\.lock)?|composer\.(?:json|lock)|mix\.(?:exs|lock)|build\.gradle(?:\.kts)?|gradle\.lockfile|pom\.xml|Makefile)$/;

interface Prepared {
  readonly key: string;
  /** The untracked paths that the setup made, a folder with `/` at its end. */
  readonly byproducts: ReadonlySet<string>;
}

/** Opens nothing yet: the tree is created when it is first used. Null unless `verifyGuard` is `clean`. */
export function openCleanVerification(loop: LoopSetup): CleanVerification | null {
  if (loop.options.verifyGuard !== "clean") return null;
  let tree: CleanTree | undefined;
  let prepared: Prepared | undefined;
  const { workspace: ws, cleanFolder } = loop;
  const setup = loop.options.verifySetup;
  const place = { root: join(cleanFolder, "tree", ws.prefix), env: environmentIn(loop) };
  return {
    prepare: async ({ content, ...run }) => {
      tree ??= await openCleanTree(ws, cleanFolder);
      const { commit, missing } = await fillCleanTree(ws, tree, content);
      if (missing.length > 0) return { ...place, failedSetup: missing.map(withoutModule) };
      const key = sha256(await objectsOf(ws, commit, isInputOf(setup)));
      if (prepared?.key !== key) prepared = undefined;
      const kept = prepared?.byproducts ?? new Set();
      const others = await untrackedIn(ws, tree);
      await removeFrom(
        ws,
        tree,
        others.filter((path) => !kept.has(path)),
      );
      if (prepared === undefined) {
        createTempFolder(run.tmpDir);
        const { isolation, sandbox, stop: signal } = loop;
        const at = { cwd: place.root, env: { ...place.env, TMPDIR: run.tmpDir }, isolation, sandbox };
        const results = await verify(setup, { ...run, ...at, signal, remainingMs: null });
        if (results.some(({ passed }) => !passed)) return { ...place, failedSetup: results };
        await checkOutClean(ws, tree, commit);
        prepared = { key, byproducts: new Set(await untrackedIn(ws, tree)) };
      }
      return { ...place, failedSetup: [] };
    },
    remove: () => removeFolder(ws, cleanFolder),
  };
}

/** Files that the commands would not see are not verified. */
function withoutModule(path: string): CheckResult {
  const reason = `the submodule ${path} is not in the separate tree of verifyGuard: clean, as the project lacks objects of its commit: type git submodule update --init ${path}`;
  const result = { passed: false, exitCode: null, durationMs: 0, excerpt: "", cannotRun: null };
  return { command: "verifySetup", reason, ...result };
}

function isInputOf(setup: readonly VerifyCommand[]): (path: string) => boolean {
  const words = new Set(setup.flatMap(({ run }) => run.split(/[\s;&|()<>"'`=]+/)));
  return (path) => setupInputs.test(path) || words.has(path) || words.has(`./${path}`);
}

/** Programs of the project on the search path (`npx ralph run`) are replaced by those of the clean tree. */
function environmentIn({ env, workspace: ws, cleanFolder }: LoopSetup): Readonly<Record<string, string>> {
  const folders = (env["PATH"] ?? "").split(delimiter).map((folder) => {
    const inside = relative(ws.topLevel, folder);
    return folder === "" || inside === ".." || inside.startsWith("../")
      ? folder
      : join(cleanFolder, "tree", inside);
  });
  return { ...env, PATH: folders.join(delimiter) };
}
