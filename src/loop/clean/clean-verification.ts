import { delimiter, join, relative } from "node:path";
import { sha256 } from "../../base/hash.ts";
import type { VerifyCommand } from "../../base/verify-command.ts";
import { type VerificationInputs, watchVerification } from "../../outcome/verification-files.ts";
import { verify } from "../../outcome/verify.ts";
import {
  type CleanTree,
  checkOutClean,
  fillCleanTree,
  objectsOf,
  openCleanTree,
  removeFolder,
  removeFrom,
  restoreClean,
  untrackedIn,
} from "../../workspace/clean-tree.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { LoopSetup } from "../loop.ts";
import { createTempFolder } from "../run/temp-folder.ts";
import type { CleanVerification, UndoneChange } from "./separate-tree.ts";

/** Files on which the result of setup commands depends. */
const setupInputs =
  /(?:^|\/)(?:package\.json|package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|pnpm-workspace\.yaml|bun\.lockb?|\.npmrc|\.yarnrc(?:\.yml)?|\.nvmrc|\.node-version|\.tool-versions|requirements[\w.-]*\.(?:txt|in)|constraints[\w.-]*\.txt|pyproject\.toml|setup\.(?:py|cfg)|(?:poetry|uv|pdm)\.lock|Pipfile(?:\.lock)?|\.python-version|Cargo\.(?:toml|lock)|go\.(?:mod|sum)|Gemfile(?:\.lock)?|composer\.(?:json|lock)|mix\.(?:exs|lock)|build\.gradle(?:\.kts)?|gradle\.lockfile|pom\.xml|Makefile)$/;

interface Prepared {
  readonly key: string;
  /** The untracked paths that the setup made, a folder with `/` at its end. */
  readonly made: ReadonlySet<string>;
}

/** Opens nothing yet: the tree is created when it is first used. Null unless `verifyGuard` is `clean`. */
export function openCleanVerification(loop: LoopSetup): CleanVerification | null {
  if (loop.options.verifyGuard !== "clean") return null;
  let tree: CleanTree | undefined;
  let prepared: Prepared | undefined;
  const { workspace: ws, cleanFolder } = loop;
  const setup = loop.options.verifySetup;
  const place = { root: join(cleanFolder, "tree", ws.prefix), env: environmentIn(loop) };
  // Verification runs the agent's code, which could plant programs for later ones.
  const watch = watchVerification(place);
  const isSpoiled = (made: ReadonlySet<string>): boolean =>
    watch.changes().some(({ name, isInside }) => isInside && isBelowAny(made, ws.prefix + name));
  return {
    prepare: async ({ content, commands, ...run }) => {
      tree ??= await openCleanTree(ws, cleanFolder);
      const opened = tree;
      const commit = await fillCleanTree(ws, tree, content);
      const undoChanges = (): Promise<readonly UndoneChange[]> => undo(watch, { ws, tree: opened, commit });
      const key = sha256(await objectsOf(ws, commit, isInputOf(setup)));
      if (prepared && (prepared.key !== key || isSpoiled(prepared.made))) prepared = undefined;
      const kept = prepared?.made ?? new Set();
      const others = await untrackedIn(ws, tree);
      await removeFrom(
        ws,
        tree,
        others.filter((path) => !kept.has(path)),
      );
      if (prepared === undefined) {
        createTempFolder(run.tmpDir);
        const { isolation, sandbox, stop: signal } = loop;
        const env = { ...place.env, TMPDIR: run.tmpDir };
        const results = await verify(setup, {
          ...run,
          cwd: place.root,
          env,
          isolation,
          sandbox,
          signal,
          remainingMs: null,
        });
        if (results.some(({ passed }) => !passed)) return { ...place, failedSetup: results, undoChanges };
        await checkOutClean(ws, tree, commit);
        prepared = { key, made: new Set(await untrackedIn(ws, tree)) };
      }
      watch.begin(commands.map((command) => command.run));
      return { ...place, failedSetup: [], undoChanges };
    },
    remove: () => removeFolder(ws, cleanFolder),
  };
}

interface Filled {
  readonly ws: Workspace;
  readonly tree: CleanTree;
  readonly commit: string;
}

async function undo(
  watch: VerificationInputs,
  { ws, tree, commit }: Filled,
): Promise<readonly UndoneChange[]> {
  const changes = watch.recent();
  const paths = changes.flatMap(({ name, isInside }) => (isInside ? [ws.prefix + name] : []));
  const undone = new Set(await restoreClean(ws, tree, { commit, paths }));
  // What ralph itself wrote is no change.
  if (undone.size > 0) watch.recent();
  return changes.map((one) => ({ ...one, isUndone: one.isInside && undone.has(ws.prefix + one.name) }));
}

function isInputOf(setup: readonly VerifyCommand[]): (path: string) => boolean {
  const words = new Set(setup.flatMap(({ run }) => run.split(/[\s;&|()<>"'`=]+/)));
  return (path) => setupInputs.test(path) || words.has(path) || words.has(`./${path}`);
}

function isBelowAny(made: ReadonlySet<string>, path: string): boolean {
  return [...made].some((one) => path === one || (one.endsWith("/") && path.startsWith(one)));
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
