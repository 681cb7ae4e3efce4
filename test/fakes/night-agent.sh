# An agent for the scripted night: prints the stream of Claude Code, and does for each task and attempt what the
# night's script says. Usage: sh night-agent.sh FOLDER. The folder holds `settings`, which sets reset_s, cost and token,
# and `troubles`, lines of task, attempt and trouble; an attempt that is not named works well. Troubles that burn no
# attempt happen once and are remembered in the folder.
cat > /dev/null
folder=$1 id=$RALPH_TASK_ID attempt=$RALPH_ATTEMPT n=0
. "$folder/settings"
trouble=$(sed -n "s/^$id $attempt //p" "$folder/troubles")
printf '%s %s %s\n' "$id" "$attempt" "${trouble:=well}" >> "$folder/sessions"

# Prints an event, given without its brace.
emit() { printf '{"session_id":"s-%s",%s}\n' "$id" "$1"; }
# Prints a message of the content's text, with further fields.
say() {
  n=$((n + 1))
  emit "\"type\":\"assistant\",$2\"message\":{\"id\":\"m-$$-$n\",\"model\":\"$RALPH_MODEL\",\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]}"
}
usage='"usage":{"input_tokens":100,"output_tokens":20,"cache_creation_input_tokens":0,"cache_read_input_tokens":0}'
end() {
  emit "\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"$1\",$usage,\"total_cost_usd\":$cost"
  exit 0
}
# Ends with an error of so many words and these fields.
refuse() {
  say "$1" "\"error\":\"$2\","
  emit "\"type\":\"result\",\"subtype\":\"success\",\"is_error\":true,$3,\"result\":\"$1\",$usage,\"total_cost_usd\":0"
  exit 1
}
finish() { end "Finished.\\n\\n<task-done>$id</task-done>"; }
write() { mkdir -p src; printf '%s\n' "$1" > "src/$id.txt"; }
well() { write "work on $id"; finish; }
# True the first time only: what a limit or a lost network hits is tried again as the same attempt.
once() { [ ! -e "$folder/$id-$1" ] && : > "$folder/$id-$1"; }
runaway() { "$@" < /dev/null > /dev/null 2>&1 & }

emit '"type":"system","subtype":"init","model":"'"$RALPH_MODEL"'"'
case $trouble in
well) well ;;
limit)
  once limit || well
  emit "\"type\":\"rate_limit_event\",\"rate_limit_info\":{\"status\":\"rejected\",\"resetsAt\":$(($(date +%s) + 1 + reset_s)),\"rateLimitType\":\"five_hour\"}"
  refuse "You've hit your session limit" rate_limit '"api_error_status":429,"terminal_reason":"api_error"'
  ;;
network)
  once network || well
  refuse "API Error: Unable to connect to API (ECONNREFUSED)" unknown '"api_error_status":null,"terminal_reason":"api_error"'
  ;;
silent)
  say "Let me think."
  exec sleep 3600
  ;;
chatter)
  while say "Still at it."; do sleep 0.2; done
  ;;
crash)
  write "half of $id"
  kill -s SEGV $$
  ;;
runaways)
  runaway setsid sleep "3600.$token"
  runaway sh -c 'setsid "$@" & exit 0' sh sleep "3600.$token"
  runaway setsid env -i "$(command -v sleep)" "3600.$token"
  well
  ;;
commits)
  write "work on $id"
  git add -A
  [ -z "$(git diff --cached --name-only)" ] || git commit -q -m "own commit for $id"
  finish
  ;;
edits-check)
  write "broken $id"
  echo "exit 0" > check.sh
  finish
  ;;
edits-script)
  write "broken $id"
  echo '{ "scripts": { "test": "true" } }' > package.json
  finish
  ;;
puts-back)
  git checkout -q -- check.sh package.json
  well
  ;;
claims-nothing) end "It was all there already.\\n\\n<task-done>$id</task-done>" ;;
claims-broken)
  write "broken $id"
  finish
  ;;
fails)
  write "broken $id by attempt $attempt"
  finish
  ;;
*) exit 70 ;;
esac
