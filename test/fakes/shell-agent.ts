import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { words } from "./agent-words.mjs";
import { fake } from "./fake.ts";

/**
 * Writes `agent.mjs` for one stream format as a shell program into `folder`, and returns its path. It takes a few milliseconds
 * where Node takes a hundred. What needs more than words that are known before it leaves to `agent.mjs`.
 */
export function shellAgent(folder: string, format: string): string {
  const { start, answer, fail } = words(format);
  const say = (text: string): string => `printf %s ${quote(text)}`;
  const script = `#!/bin/sh
case "$RALPH_FAKE$RALPH_FAKE_RECORD" in
answer | exit* | die* | silent | hang* | fail) ;;
*) exec ${fake("agent").map(quote).join(" ")} "$@" ;;
esac
# A conversation's input stays open.
case " $* " in *" --input-format "*) head -n 1 ;; *) cat ;; esac > /dev/null
set -- $RALPH_FAKE
[ "$1" = silent ] || ${say(start)}
case "$1" in
answer | exit | die | hang-after-result) ${say(answer)} ;;
fail) ${say(fail)}; exit 1 ;;
esac
case "$1" in
exit) exit "$2" ;;
die) kill -s "\${2#SIG}" $$ ;;
hang*) exec sleep 1000 ;;
esac
`;
  const path = join(folder, `agent-${format}.sh`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, script, { mode: 0o755 });
  return path;
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
