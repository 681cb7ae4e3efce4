import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Ground } from "./ground.ts";
import type { State } from "./state.ts";

/** Makes the person's commits signed with a key of theirs. */
function signing(ground: Ground): undefined {
  const key = join(ground.home, "key");
  const generator: string = "ssh-keygen";
  execFileSync(generator, ["-q", "-t", "ed25519", "-N", "", "-f", key]);
  writeFileSync(
    join(ground.home, "signers"),
    `practice@example.invalid ${readFileSync(`${key}.pub`, "utf8")}`,
  );
  ground.git("config", "gpg.format", "ssh");
  ground.git("config", "user.signingKey", key);
  ground.git("config", "gpg.ssh.allowedSignersFile", join(ground.home, "signers"));
  ground.git("config", "commit.gpgSign", "true");
}

/** A person's own settings, hooks and keys. */
export const settingStates: readonly State[] = [
  {
    name: "core.autocrlf and eol attributes",
    arrange: ({ git, write }) => {
      write(".gitattributes", "*.txt text\n*.bat text eol=crlf\n*.bin -text\n");
      write("run.bat", "echo one\r\necho two\r\n");
      write("mixed.bin", "one\r\ntwo\n");
      write("crlf.txt", "one\r\ntwo\r\n");
      git("config", "core.autocrlf", "true");
      git("config", "core.safecrlf", "false");
      git("add", "-A");
      git("commit", "-qm", "line ends");
      write("untracked.txt", "one\r\ntwo\nthree\r\n");
    },
  },
  {
    name: "a clean and smudge filter of the person's",
    arrange: (ground) => {
      ground.write(".gitattributes", "*.enc filter=rot\n");
      ground.git("config", "filter.rot.clean", "tr a-z n-za-m");
      ground.git("config", "filter.rot.smudge", "tr a-z n-za-m");
      ground.git("config", "filter.rot.required", "true");
      ground.write("secret.enc", "plain text\n");
      ground.git("add", "-A");
      ground.git("commit", "-qm", "filtered");
    },
  },
  {
    name: "core.fsmonitor, untracked cache and split index of the person's own",
    arrange: (ground) => {
      const monitor = ground.script("../fsmonitor", "exit 1");
      ground.git("config", "core.fsmonitor", monitor);
      ground.git("config", "core.untrackedCache", "true");
      ground.git("update-index", "--split-index");
    },
  },
  {
    name: "core.hooksPath as husky sets it, with hooks that pass",
    short: true,
    arrange: (ground) => {
      ground.script(".husky/_/pre-commit", 'exec sh "$(dirname "$0")/../pre-commit"');
      ground.script(".husky/pre-commit", `echo hook >> ${ground.base}/hooked`);
      ground.script(".husky/_/commit-msg", "exit 0");
      ground.git("add", "-A");
      ground.git("commit", "-qm", "husky");
      ground.git("config", "core.hooksPath", ".husky/_");
    },
    check: ({ base }) => expect(readFileSync(join(base, "hooked"), "utf8")).toMatch(/hook/),
  },
  {
    name: "a pre-commit hook that formats the files it finds staged and adds them again",
    arrange: (ground) => {
      const each =
        'for file in $(git diff --cached --name-only --diff-filter=AM); do echo formatted >> "$file"; git add "$file"; done';
      ground.script(".git/hooks/pre-commit", each);
    },
    check: ({ git }) => expect(git("show", "HEAD:src/three.txt")).toBe("three\nformatted"),
  },
  {
    name: "signing with an ssh key",
    short: true,
    arrange: signing,
    check: ({ git }) => expect(git("log", "-2", "--format=%G?")).toBe("G\nG"),
  },
  {
    name: "aliases, templates and odd settings of the person's own",
    arrange: (ground) => {
      ground.write("../message", "# a comment\nTicket: \n");
      const settings = {
        "alias.status": "!false",
        "commit.template": join(ground.base, "message"),
        "commit.verbose": "true",
        "commit.cleanup": "scissors",
        "core.commentChar": "T",
        "core.quotePath": "true",
        "color.ui": "always",
        "diff.noprefix": "true",
        "diff.mnemonicPrefix": "true",
        "diff.renames": "copies",
        "diff.ignoreSubmodules": "none",
        "log.showSignature": "true",
        "status.showUntrackedFiles": "no",
        "status.relativePaths": "true",
        "status.branch": "true",
        "merge.conflictStyle": "diff3",
        "core.abbrev": "4",
        "push.default": "nothing",
        "rerere.enabled": "true",
        "trailer.separators": "=",
        "i18n.commitEncoding": "ISO-8859-1",
        "i18n.logOutputEncoding": "ISO-8859-1",
        "core.precomposeUnicode": "true",
        "user.useConfigOnly": "true",
      };
      for (const [key, value] of Object.entries(settings)) ground.git("config", key, value);
    },
  },
];
