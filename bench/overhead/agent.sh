# The agent of the overhead benchmark. Usage: bash agent.sh TIMES SECONDS: reads its prompt, sleeps, changes one file, and
# adds its own start and end (seconds since 1970) to the file TIMES. Needs bash 5.
start=$EPOCHREALTIME
cat > /dev/null
[ "$2" = 0 ] || sleep "$2"
echo x > "src/$RALPH_TASK_ID.txt"
printf 'Finished.\n\n<task-done>%s</task-done>\n' "$RALPH_TASK_ID"
echo "$start $EPOCHREALTIME" >> "$1"
