#!/bin/sh
# Raises the soft limit of open files to the hard one, then becomes COMMAND, with the same process id: raise-limits.sh COMMAND…
# Current engines give a container 1024 as the soft limit and a high hard one (moby/moby 51485). Some programs raise it
# themselves, others fail at their 1,024th descriptor: here all start alike.
set -eu
if [ $# -eq 0 ]; then
  echo "raise-limits: no command. Say in compose.yaml what to run: command: [program, argument, …]" >&2
  exit 2
fi
# dash and busybox know -S, -H and -n, as POSIX does since 2024.
# shellcheck disable=SC3045
ulimit -S -n "$(ulimit -H -n)"
exec "$@"
