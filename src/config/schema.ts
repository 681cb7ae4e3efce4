import type { JsonObject } from "../base/json.ts";
import { settingKeys } from "./keys.ts";
import { shortForms } from "./settings.ts";

interface Group {
  readonly type: "object";
  readonly additionalProperties: false;
  readonly properties: Record<string, JsonObject>;
}

function group(): Group {
  return { type: "object", additionalProperties: false, properties: {} };
}

/** Returns the JSON Schema (draft 2020-12) of `.ralph/config.yaml`, for editors. */
export function configSchema(): JsonObject {
  const top = group();
  for (const { key, type, defaultValue: otherwise, description } of settingKeys) {
    const parts = key.split(".");
    const name = parts.pop() ?? "";
    let parent = top;
    for (const part of parts) {
      parent.properties[part] ??= group() as unknown as JsonObject;
      parent = parent.properties[part] as unknown as Group;
    }
    parent.properties[name] = { ...type.schema, description, default: otherwise };
  }
  for (const [short, key] of Object.entries(shortForms)) {
    const { schema } = settingKeys.find((setting) => setting.key === key)?.type ?? {};
    top.properties[short] = { anyOf: [{ ...schema }, { ...top.properties[short] }] };
  }
  return { $schema: "https://json-schema.org/draft/2020-12/schema", title: "ralph", ...top };
}
