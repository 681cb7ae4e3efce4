import { type ConfigValue, configValues } from "./config-values.ts";
import { mayStart } from "./starting-values.ts";

/** Returns a pattern for these words in upper and lower case. Git compares all others exactly. */
function anyCase(words: string): string {
  return words.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}

const flag = anyCase("true|false|yes|no|on|off|0|1");
/** Git refuses to start with another color, or with more than two: one of the text and one of its background. */
const color = "(?:normal|black|red|green|yellow|blue|magenta|cyan|white|#[0-9a-f]{6}|1?[0-9]{1,2})";
const attribute = "(?:no-?)?(?:bold|dim|ul|blink|reverse|italic|strike)";
const some = `(?: ${attribute})*`;
const colors = `(?:${attribute} )*(?:${attribute}|${color}${some}(?: ${color}${some})?)`;
/** Git fails on a name with `..`, `//` or `.lock`, or one that ends in a dot or a slash. */
const ref = "refs(?:/(?!\\.)(?:(?!\\.\\.|\\.lock(?:[/:*]|$)|\\.(?:[/:*]|$))[A-Za-z0-9_.@+-])+)+/?";
const whole = `${ref}(?<!/)`;
const text = "[^\\p{Cc}]*[^\\p{Cc}\\s][^\\p{Cc}]*";

/** Names of variables, in which `*` is any subsection, with the values that git accepts for them. */
const everyday: readonly (readonly [names: string, values: string])[] = [
  ["remote.*.url branch.*.description init.defaultbranch", text],
  ["remote.*.fetch remote.*.push", `\\+?(?:${ref}\\*:${ref}\\*|${whole}:${whole}|${whole})`],
  ["remote.*.tagopt", "--tags|--no-tags"],
  ["remote.*.prune", flag],
  ["branch.*.remote branch.*.pushremote", text],
  ["branch.*.merge", whole],
  ["branch.*.rebase pull.rebase", `${flag}|merges|interactive`],
  ["branch.autosetupmerge", `${flag}|always`],
  ["branch.autosetuprebase", "never|local|remote|always"],
  [
    "color.ui color.branch color.diff color.grep color.log color.push color.status",
    `${flag}|${anyCase("auto|never")}`,
  ],
  ["color.branch.* color.diff.* color.grep.* color.status.*", colors],
  ["push.default", "nothing|current|upstream|tracking|simple|matching"],
  ["push.autosetupremote push.followtags", flag],
  ["pull.ff", `${flag}|only`],
  ["fetch.prune fetch.prunetags fetch.all", flag],
  ["fetch.parallel gc.auto", "[0-9]{1,6}"],
  ["fetch.recursesubmodules", `${flag}|on-demand`],
  ["rerere.enabled rerere.autoupdate status.short status.branch status.relativepaths", flag],
  ["log.date", "relative|local|iso|iso-strict|rfc|short|raw|human|unix|default"],
  ["log.decorate", `${flag}|short|full|auto`],
  ["log.abbrevcommit core.quotepath", flag],
  ["submodule.*.url submodule.*.branch", text],
  ["submodule.*.active", flag],
  ["lfs.repositoryformatversion lfs.locksverify lfs.*.access lfs.*.locksverify", text],
];

/** Characters. Longer values would keep the patterns busy. */
const maxValue = 4096;

interface Everyday {
  readonly name: RegExp;
  readonly value: RegExp;
}

const settings: readonly Everyday[] = everyday.map(([names, values]) => {
  const patterns = names.split(" ").map((name) => name.replaceAll(".", "\\.").replace("*", "[^]+"));
  return { name: new RegExp(`^(?:${patterns.join("|")})$`), value: new RegExp(`^(?:${values})$`, "u") };
});

/** Returns the full name of a variable, which no other variable has. */
export function fullName({ section, subsection, key }: ConfigValue): string {
  return [section, ...(subsection === "" ? [] : [subsection]), key].join(".");
}

/** Returns the variables of a configuration by their full names, each with all that is set for it. */
export function groupsOf(text: string): ReadonlyMap<string, readonly ConfigValue[]> {
  const groups = new Map<string, ConfigValue[]>();
  for (const one of configValues(text)) {
    const name = fullName(one);
    const group = groups.get(name);
    if (group) group.push(one);
    else groups.set(name, [one]);
  }
  return groups;
}

/** Returns true for the name of a variable that people change while they work. */
export function isEverydayName(variable: ConfigValue): boolean {
  return settingOf(variable) !== undefined;
}

/**
 * Returns true for such a variable with a value that git accepts. None of them starts a program, changes which files git sees or
 * makes a git command fail.
 */
export function isEveryday(variable: ConfigValue): boolean {
  const { subsection, value } = variable;
  if (value.length > maxValue || /\p{Cc}/u.test(subsection)) return false;
  return settingOf(variable)?.value.test(value) === true;
}

const advice: Everyday = { name: /^advice\.[a-z0-9-]+$/, value: new RegExp(`^(?:${flag})$`, "u") };

function settingOf(variable: ConfigValue): Everyday | undefined {
  if (mayStart(variable)) return undefined;
  const name = fullName(variable);
  return [advice, ...settings].find((setting) => setting.name.test(name));
}
