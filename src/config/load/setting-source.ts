import type { YamlValue } from "../../base/yaml.ts";

/** A value as somebody wrote it, and where: for origins and messages. */
export interface WrittenSetting {
  readonly key: string;
  readonly value: YamlValue;
  readonly origin: string;
  /** Where exactly, for messages: `file:line:column`, `RALPH_MODEL`, `--model`; `at` is a path below the key. */
  where(at: readonly (string | number)[]): string;
}
