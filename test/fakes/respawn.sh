# A chain of short lives: each starts the next in the background and ends. "$1" is by what they can be found.
sleep 0.02
sh "$0" "$1" &
exit 0
