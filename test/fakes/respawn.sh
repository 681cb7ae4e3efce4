# A chain of short lives: each starts the next in the background and ends. "$1" is by what they can be found. Whatever
# comes of the test, the chain ends by itself after two minutes ("$2", in seconds since the machine's start).
read -r now _ </proc/uptime
end=${2:-$((${now%.*} + 120))}
[ "${now%.*}" -lt "$end" ] || exit 0
sleep 0.02
sh "$0" "$1" "$end" &
exit 0
