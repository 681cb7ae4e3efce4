import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { State } from "./state.ts";
import type { StateRepository } from "./state-repository.ts";

/** Makes the person's commits signed with a key of theirs. */
function signing(repo: StateRepository): undefined {
  const key = join(repo.home, "key");
  const generator: string = "ssh-keygen";
  execFileSync(generator, ["-q", "-t", "ed25519", "-N", "", "-f", key]);
  writeFileSync(join(repo.home, "signers"), `practice@example.invalid ${readFileSync(`${key}.pub`, "utf8")}`);
  repo.git("config", "gpg.format", "ssh");
  repo.git("config", "user.signingKey", key);
  repo.git("config", "gpg.ssh.allowedSignersFile", join(repo.home, "signers"));
  repo.git("config", "commit.gpgSign", "true");
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
    arrange: (repo) => {
      repo.write(".gitattributes", "*.enc filter=rot\n");
      repo.git("config", "filter.rot.clean", "tr a-z n-za-m");
      repo.git("config", "filter.rot.smudge", "tr a-z n-za-m");
      repo.git("config", "filter.rot.required", "true");
      repo.write("secret.enc", "plain text\n");
      repo.git("add", "-A");
      repo.git("commit", "-qm", "filtered");
    },
  },
  {
    name: "core.fsmonitor, untracked cache and split index of the person's own",
    arrange: (repo) => {
      const monitor = repo.script("../fsmonitor", "exit 1");
      repo.git("config", "core.fsmonitor", monitor);
      repo.git("config", "core.untrackedCache", "true");
      repo.git("update-index", "--split-index");
    },
  },
  {
    name: "core.hooksPath as husky sets it, with hooks that pass",
    short: "tree",
    arrange: (repo) => {
      repo.script(".husky/_/pre-commit", 'exec sh "$(dirname "$0")/../pre-commit"');
      repo.script(".husky/pre-commit", `echo hook >> ${repo.base}/hooked`);
      repo.script(".husky/_/commit-msg", "exit 0");
      repo.git("add", "-A");
      repo.git("commit", "-qm", "husky");
      repo.git("config", "core.hooksPath", ".husky/_");
    },
    check: ({ base }) => expect(readFileSync(join(base, "hooked"), "utf8")).toMatch(/hook/),
  },
  {
    name: "a pre-commit hook that formats the files it finds staged and adds them again",
    arrange: (repo) => {
      const each =
        'for file in $(git diff --cached --name-only --diff-filter=AM); do echo formatted >> "$file"; git add "$file"; done';
      repo.script(".git/hooks/pre-commit", each);
    },
    check: ({ git }) => expect(git("show", "HEAD:src/three.txt")).toBe("three\nformatted"),
  },
  {
    name: "signing with an ssh key",
    short: "tree",
    arrange: signing,
    check: ({ git }) => expect(git("log", "-2", "--format=%G?")).toBe("G\nG"),
  },
  {
    name: "aliases, templates and odd settings of the person's own",
    arrange: (repo) => {
      repo.write("../message", "# a comment\nTicket: \n");
      const settings = {
        "alias.status": "!false",
        "commit.template": join(repo.base, "message"),
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
      for (const [key, value] of Object.entries(settings)) repo.git("config", key, value);
    },
  },
];
