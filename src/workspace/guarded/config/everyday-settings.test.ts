import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import {
  removeTempRepositories,
  type TempRepository,
  tempRepository,
} from "../../../../test/temp-repository.ts";
import { testSize } from "../../../../test/test-size.ts";
import { configValues } from "./config-values.ts";
import { isEveryday } from "./everyday-settings.ts";

afterEach(removeTempRepositories);

const names =
  "remote.o.fetch|remote.o.tagopt|remote.o.prune|branch.main.merge|branch.main.rebase|pull.rebase|branch.autosetupmerge|" +
  "branch.autosetuprebase|color.ui|color.branch|color.diff|color.grep|color.log|color.push|color.status|color.branch.local|" +
  "color.diff.new|color.grep.match|color.status.added|push.default|push.autosetupremote|push.followtags|pull.ff|fetch.prune|" +
  "fetch.prunetags|fetch.all|fetch.parallel|gc.auto|fetch.recursesubmodules|rerere.enabled|rerere.autoupdate|status.short|" +
  "status.branch|status.relativepaths|log.date|log.decorate|log.abbrevcommit|core.quotepath|submodule.s.active|advice.detachedhead";

const words =
  "true|false|yes|no|on|off|0|1|2|auto|never|always|merges|interactive|only|on-demand|nothing|current|upstream|tracking|" +
  "simple|matching|local|remote|relative|iso|iso-strict|rfc|short|raw|human|unix|default|full|red|bold|red blue|red red red|" +
  "red bold blue no-ul|bold dim ul blink|red blue bold green|#ff0000|#f00|7|199|256|999|bold#ff0000|boldred|red  blue|nostrike|" +
  "--tags|refs/heads/main|refs/heads/a/|refs/heads/*:refs/remotes/o/*|+refs/heads/*:refs/remotes/o/*|refs/heads/a/:refs/b/|" +
  "refs/heads/*:refs/b|refs/heads/*|refs/heads/a*:refs/x/b*|+refs/heads/main:refs/x|refs/heads/a..b|refs/heads/a.lock";

const values = words.split("|").flatMap((word) => {
  return [word, word.toUpperCase(), word.slice(0, 1).toUpperCase() + word.slice(1)];
});

/** The values that ralph lets stay, as lines of a configuration. */
function accepted(name: string): readonly string[] {
  const [section = "", ...rest] = name.split(".");
  const key = rest.at(-1) ?? "";
  const header = rest.length > 1 ? `[${section} "${rest[0]}"]` : `[${section}]`;
  return [...new Set(values)]
    .map((value) => `${header}\n\t${key} = "${value}"\n`)
    .filter((text) => configValues(text).every(isEveryday));
}

/** 1: every value; 6: every sixth of a setting. */
const step = testSize("RALPH_TEST_VARIANTS", 6);

/** Returns what git says about a configuration, with each command that reads one of these settings. */
function complaints({ git }: TempRepository): readonly string[] {
  const commands = [
    ...[
      "status",
      "diff",
      "log -1",
      "branch -vv",
      "grep x",
      "remote -v",
      "fetch o",
      "pull o main",
      "gc --auto",
    ],
    ...[
      "push --dry-run o main",
      "branch --track new o/main",
      "branch -D new",
      "checkout --detach",
      "checkout main",
    ],
  ];
  return commands.flatMap((command) => {
    try {
      git(...command.split(" "));
      return [];
    } catch (error) {
      return /bad |invalid|malformed|unknown|must be one of/i.test(String(error)) ? [String(error)] : [];
    }
  });
}

test("LOOP-18: git accepts every value of an everyday setting that stays, also in upper case", () => {
  const work = tempRepository();
  const { dir, git } = work;
  git("clone", "-q", "--bare", dir, join(dir, ".git/bare"));
  git("remote", "add", "o", join(dir, ".git/bare"));
  git("fetch", "-q", "o");
  const config = join(dir, ".git/config");
  const plain = readFileSync(config, "utf8");
  const each = names.split("|").map(accepted);
  for (const lines of each) expect(lines).not.toEqual([]);
  const rounds = Math.max(...each.map((lines) => lines.length));
  for (let round = 0; round < rounds; round += step) {
    writeFileSync(config, plain);
    const lines = each.flatMap((all) => all[round] ?? []);
    appendFileSync(config, lines.join(""));
    expect({ lines, complaints: complaints(work) }).toEqual({ lines, complaints: [] });
  }
});

test.each([
  ...["push.default=Simple", "branch.autosetuprebase=NEVER", "branch.autosetupmerge=Always", "log.date=ISO"],
  ...["color.diff.new=red red red", "color.diff.new=Bold", "pull.rebase=Merges", "pull.ff=Only"],
])("LOOP-18: git refuses %s, which does not stay", (setting) => {
  const [, section = "", sub, key, value] = /^(\w+)(?:\.(\w+))?\.(\w+)=(.*)$/.exec(setting) ?? [];
  const header = sub === undefined ? `[${section}]` : `[${section} "${sub}"]`;
  expect(configValues(`${header}\n${key} = ${value}\n`).map(isEveryday)).toEqual([false]);
});
