export interface ConfigValue {
  /** In lower case, without its subsection: `core`, `include`, `includeif`. */
  readonly section: string;
  readonly key: string;
  readonly value: string;
}

/** Reads the `key = value` lines of a git configuration file without git, which would apply them. Linear time. */
export function configValues(text: string): ConfigValue[] {
  const values: ConfigValue[] = [];
  let section = "";
  for (const line of text.split("\n")) {
    const header = /^\s*\[\s*([\w-]+)/.exec(line)?.[1];
    const close = header === undefined ? -1 : line.indexOf("]");
    if (header !== undefined && close >= 0) section = header.toLowerCase();
    const pair = line.slice(close + 1);
    const equals = pair.indexOf("=");
    const key = pair.slice(0, Math.max(0, equals)).trim();
    if (!/^[\w-]+$/.test(key)) continue;
    const written = pair.slice(equals + 1).trim();
    const value = written.replace(/^"((?:[^"\\]|\\.)*)".*$/, "$1").replace(/\\(.)/g, "$1");
    values.push({ section, key: key.toLowerCase(), value });
  }
  return values;
}
