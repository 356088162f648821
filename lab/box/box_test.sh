#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The promises of lab/box/box. Exits with 77 where there can be no namespaces.
set -u
box=$(dirname "$0")/box
failures=0
claim() {
  local text=$1
  shift
  if "$@"; then
    echo "ok: $text"
  else
    echo "FAILED: $text"
    failures=$((failures + 1))
  fi
}
boxes() { ip netns list 2>/dev/null | grep -c '^epochcast-'; }
interfaces() { ip -o link show | cut -d: -f2 | sort; }

"$box" --nodes 1 -- true
[ $? -eq 77 ] && exit 77
before=$(interfaces)
boxes_before=$(boxes)

status_is() {
  local expected=$1
  shift
  "$@" >/dev/null 2>&1
  [ $? -eq "$expected" ]
}
says() {
  local expected=$1
  shift
  [ "$("$@" 2>&1)" = "$expected" ]
}

claim "the command's status is the box's" status_is 7 "$box" -- bash -c 'exit 7'
claim "bad options are named" says 'box: --nodes: got "5"; expected 1 to 4' "$box" --nodes 5 -- true
claim "bad bandwidths are named" says \
  'box: --bandwidth: got "fast"; expected a number with Mbps or Gbps, or unlimited' \
  "$box" --bandwidth fast -- true
claim "lists have a value for each node" says 'box: --ranks: got 3 values for 2 nodes' \
  "$box" --nodes 2 --ranks 1,2,3 -- true
claim "a missing command is named" says 'box: no command; usage: lab/box/box [OPTIONS] -- COMMAND' \
  "$box" --nodes 2
claim "every node is a host of its own" says "$(printf 'node1\nnode2\nnode3')" \
  "$box" --nodes 3 -- bash -c 'mpirun -n 3 hostname | sort'
claim "slots decide how many ranks a node gets" says "$(printf 'node1\nnode2\nnode2')" \
  "$box" --nodes 2 --ranks 1,2 -- bash -c 'mpirun -n 3 hostname | sort'
claim "each link has its own bandwidth" says "$(printf '50Mbit\n400Mbit')" \
  "$box" --nodes 2 --bandwidth 50Mbps,400Mbps -- \
  bash -c 'mpirun -n 2 --tag-output tc qdisc show dev eth0 | sort | grep -o "[0-9]*Mbit"'
claim "whose cores they are is one of two words" says 'box: --cores: got "mine"; expected own or shared' \
  "$box" --cores mine -- true
# 1 if both ranks may run on the same cores, else 0.
same_cores() {
  "$box" "$@" -- mpirun -n 2 bash -c 'taskset -cp $$ | sed "s/.*: //"' | sort | uniq -d | wc -l
}
if [ "$(nproc)" -ge 2 ]; then
  claim "nodes may have cores of their own" [ "$(same_cores --cores own)" = 0 ]
fi
claim "nodes share all cores" [ "$(same_cores)" = 1 ]
claim "where there are too few, too" [ "$(same_cores --cores own --ranks 1,98)" = 1 ]
claim "a node's network has nothing but its own link" says 'eth0 lo' \
  "$box" --nodes 2 -- bash -c 'echo $(ip -o link show | cut -d: -f2 | cut -d@ -f1 | sort)'

# Waits until a command succeeds, at most two minutes.
wait_until() {
  for _ in $(seq 1200); do
    "$@" && return
    sleep 0.1
  done
  return 1
}
# Seconds that no other process of this machine sleeps.
long=$((1000000 + $$))
sleeps() { pgrep -x -f "sleep $long" >/dev/null; }
sleeps_not() { ! sleeps; }

"$box" --nodes 2 -- sleep $long &
job=$!
wait_until sleeps
kill -TERM $job
wait $job
claim "an interrupted box ends with 143" [ $? -eq 143 ]
claim "no namespaces are left" [ "$(boxes)" -eq "$boxes_before" ]
"$box" --nodes 2 -- sleep $long &
job=$!
wait_until sleeps
kill -KILL $job
wait $job 2>/dev/null
claim "what ran in a killed box has ended" wait_until sleeps_not
"$box" --nodes 1 -- true
claim "the next box removes the rest of a killed one" [ "$(boxes)" -eq "$boxes_before" ]
claim "no interface of the machine has changed" [ "$(interfaces)" = "$before" ]
exit $((failures > 0))
