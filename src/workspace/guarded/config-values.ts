export interface ConfigValue {
  /** In lower case, without its subsection: `core`, `include`, `includeif`. */
  readonly section: string;
  readonly key: string;
  readonly value: string;
}

/** Reads the `key = value` lines of a git configuration file without git, which would apply them. */
export function configValues(text: string): ConfigValue[] {
  const values: ConfigValue[] = [];
  let section = "";
  for (const line of text.split("\n")) {
    const header = /^\s*\[\s*([\w-]+)[^\]]*\]/.exec(line);
    if (header) section = (header[1] ?? "").toLowerCase();
    const pair = /^\s*([\w-]+)\s*=\s*(.*?)\s*$/.exec(header ? line.slice(header[0].length) : line);
    if (!pair) continue;
    const value = (pair[2] ?? "").replace(/^"((?:[^"\\]|\\.)*)".*$/, "$1").replace(/\\(.)/g, "$1");
    values.push({ section, key: (pair[1] ?? "").toLowerCase(), value });
  }
  return values;
}
