import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { RalphError } from "../src/base/errors.ts";
import { loadSettings } from "../src/config/load-settings.ts";
import type { LoadedSettings } from "../src/config/settings.ts";

/** The layers of settings that a test provides. */
interface Layers {
  readonly project?: string;
  readonly user?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: Readonly<Record<string, string>>;
  readonly file?: string | null;
}

interface TempSettings {
  readonly root: string;
  readonly home: string;
  load(layers: Layers): Promise<LoadedSettings>;
  /** The error with which loading is refused. */
  refusal(layers: Layers): Promise<RalphError>;
}

/** A project and a home of their own, gone when the test ends. */
export function tempSettings(): TempSettings {
  const top = mkdtempSync(join(tmpdir(), "ralph-config-"));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  const [root, home] = [join(top, "project"), join(top, "home")];
  mkdirSync(join(root, ".ralph"), { recursive: true });
  mkdirSync(join(home, ".config", "ralph"), { recursive: true });
  const load = async ({ project, user, env = {}, flags = {}, file }: Layers): Promise<LoadedSettings> => {
    if (project !== undefined) writeFileSync(join(root, ".ralph", "config.yaml"), project);
    if (user !== undefined) writeFileSync(join(home, ".config", "ralph", "config.yaml"), user);
    return await loadSettings({ cwd: root, flags, env: { HOME: home, ...env }, file });
  };
  return {
    root,
    home,
    load,
    refusal: async (layers) => {
      const error = await load(layers).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(RalphError);
      return error as RalphError;
    },
  };
}
