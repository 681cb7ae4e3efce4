import type { YamlValue } from "../../base/yaml.ts";

/** A value as written, with its place for origins and messages. */
export interface WrittenSetting {
  readonly key: string;
  readonly value: YamlValue;
  readonly origin: string;
  /** Returns the exact place: `file:line:column`, `RALPH_MODEL` or `--model`; `at` is a path below the key. */
  where(at: readonly (string | number)[]): string;
}
