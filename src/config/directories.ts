import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { type Environment, readEnv } from "./environment.ts";

/** The user's base folders of the XDG specification. Each contains a folder `ralph`. */
export interface Directories {
  readonly cache: string;
  readonly config: string;
  readonly state: string;
  readonly data: string;
}

/** Returns the user's cache, configuration, state and data folders. A relative value counts as unset, as the specification requires. */
export function directories(env?: Environment): Directories {
  const home = readEnv("HOME", env) || homedir();
  const pick = (name: string, fallback: string): string => {
    const value = readEnv(name, env);
    return value && isAbsolute(value) ? value : join(home, fallback);
  };
  return {
    cache: pick("XDG_CACHE_HOME", ".cache"),
    config: pick("XDG_CONFIG_HOME", ".config"),
    state: pick("XDG_STATE_HOME", ".local/state"),
    data: pick("XDG_DATA_HOME", ".local/share"),
  };
}
