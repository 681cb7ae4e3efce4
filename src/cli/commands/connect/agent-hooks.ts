import { sha256 } from "../../../base/hash.ts";
import { shellWord } from "../../../base/text.ts";
import type { ConnectTarget } from "./connection.ts";
import { changesOf } from "./own-files.ts";
import { missingFolders, readPersonFile } from "./person-file.ts";

/** Seconds for a hook that only reads. */
const readSeconds = 15;
/** Seconds for the hook that verifies; each command has its own time limit. */
const verifySeconds = 3600;

/** Returns the hooks of a session, as Claude Code and Codex read them. `verify`: a turn that changed the project is verified. */
export function agentHooks(command: readonly string[], verify: boolean): object {
  const hook = (timeout: number, ...words: readonly string[]): object => ({
    hooks: [
      { type: "command", command: [...command, "agent-hook", ...words].map(shellWord).join(" "), timeout },
    ],
  });
  return {
    SessionStart: [hook(readSeconds, "SessionStart")],
    UserPromptSubmit: [hook(readSeconds, "UserPromptSubmit", ...(verify ? ["--verify"] : []))],
    ...(verify ? { Stop: [hook(verifySeconds, "Stop")] } : {}),
  };
}

/**
 * Adds hooks to the connection of Codex, by a file of their own. Where a person has such a file, it stays as it is. Codex runs no hook
 * before the person trusts it.
 */
export function withHookFile(
  target: ConnectTarget,
  { file, command }: { readonly file: string; readonly command: readonly string[] },
): ConnectTarget {
  const text = `${JSON.stringify({ hooks: agentHooks(command, false) }, null, 2)}\n`;
  const wanted = { path: file, sha256: sha256(text) };
  return {
    title: target.title,
    connect(known) {
      const plan = target.connect(known);
      const found = readPersonFile(file);
      const written = (known?.files ?? []).filter(({ path }) => path === found.path);
      if (found.text !== null && found.text !== text && written.length === 0)
        return {
          ...plan,
          note: `it has hooks of yours in ${file}, so memories come only when it asks for them`,
        };
      const files = (plan.connection?.files ?? []).filter(({ path }) => path !== found.path);
      const folders = [...(plan.connection?.folders ?? []), ...missingFolders(found.path)];
      return {
        changes: [...plan.changes, ...changesOf({ files: written }, [{ path: found.path, text }])],
        connection: {
          files: [...files, { ...wanted, path: found.path }],
          entry: plan.connection?.entry ?? null,
          folders: [...new Set(folders)],
        },
        note: "it asks once whether you trust the hooks, by which fitting memories come unasked",
      };
    },
    disconnect(known) {
      const plan = target.disconnect(known);
      const found = readPersonFile(file);
      const isOwn = known === null && found.text === text;
      const written = isOwn
        ? [{ ...wanted, path: found.path }]
        : (known?.files ?? []).filter(({ path }) => path === found.path);
      return { ...plan, changes: [...plan.changes, ...changesOf({ files: written }, [])] };
    },
  };
}
