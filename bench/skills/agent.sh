# The agent of the skills benchmark. Usage: sh agent.sh NOISE: solves a task of a helpful family only with the family's
# pattern in its prompt, and one of a harmful family only without it. NOISE attempts in a hundred turn out the other way.
prompt=$(cat)
family=${RALPH_TASK_ID%-*}
family=${family%-*}
case "$prompt" in *"pattern of $family."*) knows=1 ;; *) knows=0 ;; esac
case "$family" in helpful-*) solved=$knows ;; *) solved=$((1 - knows)) ;; esac
draw=$(printf '%s' "$RALPH_TASK_ID $RALPH_ATTEMPT" | cksum | cut -d ' ' -f 1)
[ $((draw % 100)) -ge "$1" ] || solved=$((1 - solved))
mkdir -p out
if [ "$solved" = 1 ]; then echo right; else echo "wrong $RALPH_ATTEMPT"; fi > "out/$RALPH_TASK_ID.txt"
printf 'Done.\n\n<task-done>%s</task-done>\n' "$RALPH_TASK_ID"
