# Sourced by ./bench: makes sure that a Docker engine answers and that Compose is new enough.
# Uses fail and say of ./bench.

# What compose.yaml needs: `include` with overrides, and merging as it has been since then.
compose_minimum=2.24

ensure_engine() {
  if ! docker version >/dev/null 2>&1; then
    start_engine
  fi
  if ! compose_is_new_enough; then
    install_compose
    compose_is_new_enough ||
      fail "Docker Compose is $(compose_version); $compose_minimum or later is needed." \
        "Install the plugin: see the Docker manual, \"Install Compose\"."
  fi
}

compose_version() { docker compose version --short 2>/dev/null || echo missing; }

compose_is_new_enough() {
  version=$(compose_version)
  version=${version#v}
  major=${version%%.*}
  rest=${version#*.}
  minor=${rest%%.*}
  case $major$minor in
    '' | *[!0-9]*) return 1 ;;
  esac
  [ "$major" -gt 2 ] || { [ "$major" -eq 2 ] && [ "$minor" -ge "${compose_minimum#*.}" ]; }
}

may_install() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }

start_engine() {
  error=$(docker version 2>&1 >/dev/null || true)
  case $error in
    *"permission denied"*)
      fail "the Docker engine refuses this user." \
        "Add the user to the group docker (sudo usermod -aG docker $(id -un)), log in again, or run ./bench as root."
      ;;
  esac
  if [ -n "${DOCKER_HOST:-}" ]; then
    fail "no Docker engine answers at DOCKER_HOST=$DOCKER_HOST." "Start it, or unset DOCKER_HOST for the local one."
  fi
  if ! command -v dockerd >/dev/null; then
    may_install || fail "no Docker engine is installed." \
      "Install Docker Engine with Compose $compose_minimum or later (Docker Desktop has both), start it, and run this again." \
      "On Debian and Ubuntu, ./bench setup as root installs both."
    say "installing the Docker engine from the distribution's packages"
    apt_install docker.io iptables
  fi
  if [ "$(id -u)" != 0 ]; then
    fail "the Docker engine is not running." "Start it (sudo systemctl start docker) and run this again."
  fi
  say "starting the Docker engine"
  if [ -d /run/systemd/system ]; then
    systemctl start docker
  else
    # No service manager: the engine runs on by itself; its log is the only trace.
    remove_stale_pid_file /var/run/docker.pid dockerd
    remove_stale_pid_file /var/run/docker/containerd/containerd.pid containerd
    setsid dockerd >/var/log/dockerd.log 2>&1 </dev/null &
  fi
  tries=150
  until docker version >/dev/null 2>&1; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || fail "the Docker engine did not answer within 30 s." "See /var/log/dockerd.log or journalctl -u docker."
    sleep 0.2
  done
}

# remove_stale_pid_file FILE PROGRAM
# An engine that was killed leaves its pid files, and a new one refuses to start while any process has that number,
# be it another program's by now, or that of a dead process which nobody has waited for.
remove_stale_pid_file() {
  [ -e "$1" ] || return 0
  status=/proc/$(cat "$1")/status
  if ! grep -q "^Name:[[:space:]]*$2\$" "$status" 2>/dev/null || grep -q '^State:[[:space:]]*Z' "$status"; then
    rm -f "$1"
  fi
}

install_compose() {
  may_install || fail "Docker Compose is $(compose_version); $compose_minimum or later is needed." \
    "Install the plugin: see the Docker manual, \"Install Compose\"." \
    "On Debian and Ubuntu, ./bench setup as root installs it."
  say "installing Docker Compose from the distribution's packages"
  apt_update
  for package in docker-compose-v2 docker-compose; do
    candidate=$(apt-cache policy "$package" | sed -n 's/^ *Candidate: //p')
    case $candidate in
      2.* | [3-9].*)
        apt_install "$package" docker-buildx
        return
        ;;
    esac
  done
  install_compose_from_trixie
}

# Debian 12 has only Compose 1; the two packages of Debian 13 install on it as they are.
# Its package list is kept apart, so that nothing else of this machine is ever upgraded from there.
install_compose_from_trixie() {
  mirror=$(debian_mirror)
  [ -n "$mirror" ] || fail "this distribution has no Compose $compose_minimum or later." \
    "Install the plugin: see the Docker manual, \"Install Compose\"."
  work=$(mktemp -d)
  chmod 755 "$work" # apt reads as a user of its own
  mkdir -p "$work/lists/partial" "$work/parts"
  printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s trixie main\n' "$mirror" >"$work/sources.list"
  set -- -o "Dir::Etc::SourceList=$work/sources.list" -o "Dir::Etc::SourceParts=$work/parts" -o "Dir::State::Lists=$work/lists"
  apt-get "$@" update -qq
  apt_get_install "$@" docker-compose docker-buildx
  rm -rf "$work"
}

# The mirror that this machine's apt uses for Debian itself; nothing on another distribution.
debian_mirror() {
  command -v apt-get >/dev/null || return 0
  apt-get indextargets --format '$(LABEL) $(REPO_URI)' | sed -n 's/^Debian //p' | head -n 1
}

apt_update() {
  [ -n "${apt_updated:-}" ] || apt-get update -qq
  apt_updated=yes
}

apt_install() {
  apt_update
  apt_get_install "$@"
}

# Options of apt-get, then packages; what it says is shown only when it fails.
apt_get_install() {
  log=$(mktemp)
  DEBIAN_FRONTEND=noninteractive apt-get -y -qq --no-install-recommends install "$@" >"$log" 2>&1 || {
    cat "$log" >&2
    fail "apt-get could not install: $*" "See its message above."
  }
  rm -f "$log"
}
