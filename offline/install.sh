#!/bin/sh
# Installs packages of one Debian source from the first suite that has the series wanted, on libraries of the image's own suite where
# they suffice. Where it is not the first suite that has it, the build says so. What was installed stands in $told, for the record of a run.
# Usage: install.sh "SUITE/SERIES…" PACKAGE…      such as "forky/1.30 trixie/1.26" nginx libnginx-mod-stream
#        install.sh any/VERSION PACKAGE…          a version or a series, from whichever suite has it
set -eu
wanted=$1
shift
told=/usr/local/share/ws-proxy-bench/package

case $wanted in any/*)
  series=${wanted#any/}
  wanted="trixie/$series bookworm/$series forky/$series sid/$series experimental/$series"
  ;;
esac

apt-get -q update
own=$(. /etc/os-release && echo "$VERSION_CODENAME")
# shellcheck disable=SC2016 # apt-get itself fills it in
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Release: $own" | head -n 1)
for source in $wanted; do
  suite=${source%/*}
  [ "$suite" != "$own" ] || continue
  # Nothing comes from there but what is asked for, and what that cannot do without. Experimental has a lower priority by itself.
  echo "deb $mirror $suite main" >"/etc/apt/sources.list.d/newer-$suite.list"
  printf 'Package: *\nPin: release n=%s\nPin-Priority: 100\n\n' "$suite" >>/etc/apt/preferences.d/newer
done
# A suite that is gone is as good as one without the series. A mirror may have an old index of what moves on.
apt-get -q -o Acquire::Check-Valid-Until=false -o Acquire::Languages=none update || true

for source in $wanted; do
  suite=${source%/*}
  version=$(apt-cache madison "$1" | awk -v "suite=$suite" -v "series=${source#*/}" '
    $6 ~ "^" suite "(-security|-updates)?/" && index($3, series) == 1 && substr($3, length(series) + 1) !~ /^[0-9]/ { print $3; exit }')
  [ -z "$version" ] || break
done
if [ -z "$version" ]; then
  known=$(apt-cache madison "$1" | awk '{ sub(/[-+~].*/, "", $3); print $3 }' | sort -Vu | paste -sd , -)
  echo "ws-proxy-bench: no suite has $1: $wanted (from versions: $known)" >&2
  exit 1
fi
for package; do
  set -- "$@" "$package=$version"
  shift
done
# An older apt takes no library of another suite along, even where a package cannot do without.
apt-get -q -y --no-install-recommends --solver 3.0 --no-strict-pinning install "$@"
rm -rf /var/lib/apt/lists/* /etc/apt/preferences.d/newer /etc/apt/sources.list.d/newer-*

package=${1%%=*}
remarks=
[ "$suite" = "$own" ] || remarks="compiled for $suite"
! ldd "$(dpkg-query --listfiles "$package" | grep -m 1 bin/.)" | grep -q jemalloc || remarks="${remarks:+$remarks, }with jemalloc"
text="$package $version from Debian $suite${remarks:+, $remarks}"
first=${wanted%% *}
if [ "${source#*/}" != "${first#*/}" ]; then
  text="$text, as ${first%/*} has no ${first#*/}"
  echo "ws-proxy-bench: FALLBACK: $text"
fi
mkdir -p "${told%/*}"
echo "$text" >"$told"
