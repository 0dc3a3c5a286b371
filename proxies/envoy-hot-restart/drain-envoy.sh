#!/bin/sh
# Makes Envoy drain, and ends with the last connection that was open: drain-envoy.sh SECONDS, its --drain-time-s. For that long Envoy
# accepts new ones, and asks clients of plain HTTP to close theirs, but not WebSockets (envoyproxy/envoy 45250).
set -eu
# No program in the image speaks HTTP, but bash can open connections. It waits for the answer.
bash -c 'exec 3<>/dev/tcp/127.0.0.1/9901
printf "POST /drain_listeners?graceful HTTP/1.1\r\nHost: admin\r\nConnection: close\r\nContent-Length: 0\r\n\r\n" >&3
cat <&3 >/dev/null'
sleep "$1"
# In /proc/net/tcp: the ports 8080 and 8443 as hexadecimal numbers, and 01, established.
while grep -Eq '^ *[0-9]+: [0-9A-F]+:(1F90|20FB) [0-9A-F]+:[0-9A-F]+ 01 ' /proc/net/tcp; do
  sleep 0.2
done
