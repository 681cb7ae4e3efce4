import type { ToolShell } from "../../process/tool-shell.ts";

/** An open git work tree of a project: plain data, the first argument of every function of this room. */
export interface Workspace {
  /** Names the tree in the store: `project`, or a slot's number. */
  readonly slot: string;
  /** The absolute project root. Paths in arguments and results of this room are relative to it, with `/`; `../` leads above it. */
  readonly root: string;
  /** The top of the work tree: the root itself, or a folder above it. */
  readonly topLevel: string;
  /** From `topLevel` to `root`: empty, or ends with `/`. */
  readonly prefix: string;
  /** The part of the repository that counts as the project: empty, or a folder that ends with `/`, from `topLevel`. */
  readonly scope: string;
  /** The git folder of this work tree (HEAD, index). */
  readonly gitDir: string;
  /** The git folder that all work trees of the repository share (config, hooks, refs). */
  readonly commonDir: string;
  /** The folder of record files (LEARN-3), relative to the root: they never count as work. */
  readonly recordsDir: string;
  /** The complete environment for git. */
  readonly env: Readonly<Record<string, string>>;
  /** The git that was the first on the PATH when the tree was opened: an agent may put another into a folder there. */
  readonly program?: string | undefined;
  /** Starts git, in a run; absent: each git is a fork of this process. */
  readonly shell?: ToolShell | undefined;
}
