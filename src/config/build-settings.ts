import type { JsonValue } from "../base/json.ts";
import { toEventHooks } from "./event-hook.ts";
import { settingKeys } from "./keys.ts";
import { toSandbox } from "./sandbox-type.ts";
import type { Settings } from "./settings.ts";
import { toMs } from "./value-type.ts";
import { toVerifyCommands } from "./verify-type.ts";

/** How the values of settings that are not used as they are written are used. */
const conversions: Readonly<Record<string, (value: JsonValue) => unknown>> = {
  verify: (value) => value && toVerifyCommands(value),
  verifySetup: toVerifyCommands,
  sandbox: toSandbox,
  "events.hooks": toEventHooks,
};

/** Builds the typed settings from checked values by dotted key: `limits.maxDuration` becomes `limits: { maxDurationMs }`. */
export function buildSettings(values: Readonly<Record<string, JsonValue>>): Settings {
  const settings: Record<string, unknown> = {};
  for (const { key, type } of settingKeys) {
    const groups = key.split(".");
    const name = groups.pop() ?? key;
    const group = groups.reduce((parent, one) => {
      parent[one] ??= {};
      return parent[one] as Record<string, unknown>;
    }, settings);
    const value = values[key] ?? null;
    if (type.isDuration) group[`${name}Ms`] = toMs(value);
    else group[name] = conversions[key]?.(value) ?? value;
  }
  return settings as unknown as Settings;
}
