import type { JsonValue } from "../../base/json.ts";
import type { ValueType } from "../load/value-type.ts";

/** One setting: its dotted key, type, default and description. */
export interface SettingKey {
  readonly key: string;
  readonly type: ValueType;
  readonly defaultValue: JsonValue;
  /** One line, for `ralph config show`, editors and the configuration reference. */
  readonly description: string;
  /** Markdown that continues the description in the configuration reference: fields, examples. */
  readonly details?: string;
}
