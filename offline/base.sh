#!/bin/sh
# Makes the base of every local image: a minimal Debian trixie that trusts this machine's CA certificates.
# Needs mmdebstrap and a Debian mirror; needs no container registry.
# Usage: offline/base.sh IMAGE [MIRROR]      no mirror: mmdebstrap's own default
set -eu
image=$1
mirror=${2:-}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/ca"
cp /usr/local/share/ca-certificates/*.crt "$work/ca/" 2>/dev/null || true
# As the official Debian images do: packages are installed without a sync of each file, and without documentation.
cat >"$work/image.cfg" <<'EOF'
force-unsafe-io
path-exclude /usr/share/doc/*
path-exclude /usr/share/man/*
path-exclude /usr/share/locale/*
EOF

# shellcheck disable=SC2016,SC2086 # mmdebstrap sets $1 of its hooks; an empty mirror must be no argument at all
mmdebstrap --quiet --variant=minbase --include=ca-certificates \
  --essential-hook="copy-in $work/image.cfg /etc/dpkg/dpkg.cfg.d" \
  --customize-hook="copy-in $work/ca /tmp" \
  --customize-hook='mv "$1"/tmp/ca/*.crt "$1/usr/local/share/ca-certificates/" 2>/dev/null; rm -r "$1/tmp/ca"' \
  --customize-hook='chroot "$1" update-ca-certificates >/dev/null 2>&1' \
  trixie "$work/base.tar" $mirror
docker import "$work/base.tar" "$image" >/dev/null
