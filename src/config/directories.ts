import { homedir } from "node:os";
import { isAbsolute, join, relative, resolve } from "node:path";
import { type Environment, readEnv } from "./environment.ts";

/** The user's base folders of the XDG specification. Each contains a folder `ralph`. */
interface Directories {
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

/** The value of `hivemind.store` for the program of that name. */
export const swarmStore = "swarm";

/** Returns the file that `hivemind.store` means; null for `off` and `swarm`. `data`: the user's data folder. */
export function hivemindPath(store: string, data: string): string | null {
  if (store === "off" || store === swarmStore) return null;
  const folder = join(data, "ralph");
  return store === "auto" ? join(folder, "hivemind.db") : resolve(folder, store);
}

/** Reports whether a file is in the folder `ralph` of the user's data folder. */
export function isInDataFolder(path: string, data: string): boolean {
  const inside = relative(join(data, "ralph"), path);
  return inside !== "" && !inside.startsWith("..") && !isAbsolute(inside);
}
