import type { CommandSpec } from "../shell/command.ts";

const scripts: Readonly<Record<string, string>> = {
  bash: `# ralph completions for bash: eval "$(ralph completions bash)" in ~/.bashrc
_ralph() {
  local line="\${COMP_LINE:0:COMP_POINT}" typed="" IFS=$' \\t\\n'
  local -a typed_words
  read -ra typed_words <<< "$line"
  [[ "$line" == *[[:space:]] ]] && typed_words+=("")
  typed="\${typed_words[-1]}"
  IFS=$'\\n'
  COMPREPLY=($(ralph __complete "\${typed_words[@]:1}" 2>/dev/null | cut -f1))
  # Readline splits words at colons, so remove the part before the last colon.
  if [[ "$typed" == *:* && "$COMP_WORDBREAKS" == *:* ]]; then
    local before="\${typed%"\${typed##*:}"}"
    COMPREPLY=("\${COMPREPLY[@]#"$before"}")
  fi
}
complete -o bashdefault -o default -F _ralph ralph`,
  zsh: `#compdef ralph
# ralph completions for zsh: source <(ralph completions zsh) in ~/.zshrc, after compinit
_ralph() {
  local line
  local -a found values about
  found=("\${(@f)$(ralph __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  for line in $found; do
    values+=("\${line%%$'\\t'*}")
    about+=("\${line/$'\\t'/  }")
  done
  if (( \${#values} )); then compadd -l -d about -a values; else _files; fi
}
if [[ "\${funcstack[1]}" == _ralph ]]; then _ralph "$@"; else compdef _ralph ralph; fi`,
  fish: `# ralph completions for fish: ralph completions fish > ~/.config/fish/completions/ralph.fish
function __ralph_complete
  set -l words (commandline -opc)
  set -l typed (commandline -ct)
  set -l found (ralph __complete $words[2..-1] "$typed" 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path "$typed"
  end
end
complete -c ralph -f -a '(__ralph_complete)'`,
};

/** `ralph completions SHELL`. */
export const command: CommandSpec = {
  description: "Prints a script that completes commands, flags and task ids. Installs nothing.",
  examples: [
    'bash, in ~/.bashrc:                 eval "$(ralph completions bash)"',
    "zsh, in ~/.zshrc after compinit:    source <(ralph completions zsh)",
    "fish:                               ralph completions fish > ~/.config/fish/completions/ralph.fish",
  ],
  arguments: [{ name: "<shell>", description: "bash, zsh or fish", choices: Object.keys(scripts) }],
  run: async (session, { args }) => {
    session.outFile(scripts[String(args["shell"])] ?? "");
  },
};
