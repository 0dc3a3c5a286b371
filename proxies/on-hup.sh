#!/bin/sh
# Runs PROGRAM, and COMMAND before it and at each HUP, which changes the configuration of the running program: on-hup.sh COMMAND PROGRAM…
# TERM and USR1 go on to the program.
set -eu
command=$1
shift
sh -c "$command"
"$@" &
program=$!
trap 'sh -c "$command"' HUP
trap 'kill -TERM "$program"' TERM
trap 'kill -USR1 "$program"' USR1
status=0
# A signal also ends `wait`.
while kill -0 "$program" 2>/dev/null; do
  status=0
  wait "$program" || status=$?
done
exit "$status"
