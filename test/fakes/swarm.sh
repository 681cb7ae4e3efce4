#!/bin/sh
# A small `swarm`: the command line and the JSON of the real one, with one file of memories for each folder, as it has;
# in it a line for each memory. A program for Node takes twenty times as long.
exec awk '
function quoted(text) {
  gsub(/\\/, "\\\\&", text); gsub(/"/, "\\\"", text); gsub(/\n/, "\\n", text)
  gsub(/\r/, "\\r", text); gsub(/\t/, "\\t", text)
  return "\"" text "\""
}
function option(name,  at) {
  for (at = 4; at < ARGC; at++) if (ARGV[at] == name) return ARGV[at + 1]
  return ""
}
function say(answer, code) {
  print "warning: no model" > "/dev/stderr"
  print answer
  exit code
}
function unknown(what) { say("{\"success\":false,\"error\":" quoted(what) "}", 1) }
# Fills `words` with the words of a memory or a query as they stand in JSON; returns their number.
function split_words(text, words) {
  gsub(/\\[nrt]/, " ", text)
  text = tolower(text)
  gsub(/[^a-z0-9]+/, " ", text)
  sub(/^ /, "", text); sub(/ $/, "", text)
  return split(text, words, " ")
}
function content(line) { sub(/^.*"content":/, "", line); sub(/,"metadata":.*$/, "", line); return line }
function score(query, line,  asked, has, words, number, at, sum) {
  number = split_words(content(line), words)
  for (at = 1; at <= number; at++) has[words[at]] = 1
  number = split_words(query, asked)
  for (at = 1; at <= number; at++) if (asked[at] in has) sum++
  return sum / 10
}
function find(limit,  n, at, best, results, taken, scores) {
  for (n = 1; n <= count; n++) scores[n] = score(quoted(first), lines[n])
  for (at = 1; at <= limit && at <= count; at++) {
    best = 0
    for (n = 1; n <= count; n++) if (!(n in taken) && (best == 0 || scores[n] > scores[best])) best = n
    taken[best] = 1
    results = results (at > 1 ? "," : "") "{\"memory\":" lines[best] ",\"score\":" scores[best] ",\"matchType\":\"vector\"}"
  }
  say("{\"success\":true,\"results\":[" results "]}", 0)
}
function store(  id, stored, call, tags, now) {
  while ((getline call < "calls.jsonl") > 0) stored += gsub(/"store"/, "", call)
  id = sprintf("mem-%016d", stored)
  tags = quoted(option("--tags"))
  gsub(/,/, "\",\"", tags)
  "date -u +%Y-%m-%dT%H:%M:%SZ" | getline now
  print "{\"id\":\"" id "\",\"content\":" quoted(first) ",\"metadata\":{\"tags\":[" (tags == "\"\"" ? "" : tags) "]},\"collection\":\"default\",\"createdAt\":\"" now "\",\"confidence\":0.7}" >> "memories.jsonl"
  say("{\"success\":true,\"id\":\"" id "\"}", 0)
}
function remove(  n, file) {
  file = "memories.jsonl"
  printf "" > file
  for (n = 1; n <= count; n++) if (n != found) print lines[n] > file
  say("{\"success\":true}", 0)
}
BEGIN {
  for (at = 1; at < ARGC; at++) call = call (at > 1 ? "," : "") quoted(ARGV[at])
  print "[" call "]" >> "calls.jsonl"
  close("calls.jsonl")
  if ((getline line < "hang") >= 0) system("trap \"\" TERM; while kill -0 $PPID; do sleep 1; done 2> /dev/null")
  if ((getline line < "broken") >= 0) {
    print "TypeError: undefined is not a function" > "/dev/stderr"
    exit 1
  }
  while ((getline line < "memories.jsonl") > 0) lines[++count] = line
  close("memories.jsonl")
  verb = ARGV[2]
  first = ARGV[3] ~ /^--/ ? "" : ARGV[3]
  for (n = 1; n <= count; n++) if (first != "" && index(lines[n], "{\"id\":" quoted(first) ",") == 1) found = n
  if (ARGV[1] != "memory") unknown("unknown " ARGV[1])
  if (verb == "store") store()
  if (verb == "find") find(option("--limit") == "" ? 10 : option("--limit") + 0)
  if (verb == "stats") say("{\"success\":true,\"stats\":{\"memories\":" count + 0 ",\"embeddings\":0}}", 0)
  if (verb == "remove") remove()
  if (verb != "get" && verb != "validate") unknown("unknown " verb)
  if (!found) unknown("Memory not found: " first)
  say("{\"success\":true" (verb == "get" ? ",\"memory\":" lines[found] : "") "}", 0)
}' "$@"
