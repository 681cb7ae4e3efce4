/** A project's git work tree, opened: plain data that every function of this room takes first. */
export interface Workspace {
  /** The project root, absolute. Paths that this room takes and gives are relative to it, with `/`. */
  readonly root: string;
  /** The top of the work tree: the root itself, or a folder above it. */
  readonly topLevel: string;
  /** From `topLevel` to `root`: empty, or ends with `/`. */
  readonly prefix: string;
  /** This work tree's own git folder (HEAD, index). */
  readonly gitDir: string;
  /** The git folder that all work trees of the repository share (config, hooks, refs). */
  readonly commonDir: string;
  /** The complete environment for git. */
  readonly env: Readonly<Record<string, string>>;
}
