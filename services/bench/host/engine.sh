# Sourced by ./bench: makes sure that a Docker engine answers and that Compose is new enough, and finds the engine's socket.
# Uses fail and say of ./bench.

# What compose.yaml needs: 2.24 refuses to extend a service that has `depends_on`, or looks for its file in the wrong folder, and 2.25
# writes no JSON.
compose_minimum=2.26

default_socket=/var/run/docker.sock

ensure_engine() {
  find_endpoint
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

# Sets endpoint, socket and chosen_by: the engine that the docker client uses, by DOCKER_HOST or by a context.
find_endpoint() {
  endpoint=
  context=
  if command -v docker >/dev/null; then
    # Where DOCKER_HOST is set, the client shows it as that of the context "default".
    context=$(docker context inspect --format '{{.Name}} {{.Endpoints.docker.Host}}' 2>/dev/null) || {
      error=$(docker context inspect 2>&1 >/dev/null || true)
      case $error in
        *"not found"*) fail "the docker client has no such context: $error" "docker context ls shows those that there are." ;;
      esac
      context=
    }
    endpoint=${context#* }
  fi
  # A client too old for contexts, or none yet.
  [ -n "$endpoint" ] || endpoint=${DOCKER_HOST:-unix://$default_socket}
  chosen_by="the docker context ${context%% *} ($endpoint)"
  [ -z "${DOCKER_HOST:-}" ] || chosen_by="DOCKER_HOST=$DOCKER_HOST"
  case $endpoint in
    unix://*) socket=${endpoint#unix://} ;;
    *) fail "$chosen_by is not an engine on this machine." \
      "Expected unix:///path: the engine mounts this folder. Run ./bench on the machine of the engine, or choose another: docker context use default." ;;
  esac
}

# Sets what a container needs in order to use the engine itself: mounted_socket, its path where the engine runs; caller, the user and
# group that are the calling user's outside; socket_group, a group that may use the socket; engine_is_here, empty where the engine runs
# in a virtual machine.
#
# Docker Desktop and Colima run the engine in a virtual machine. The client's socket is forwarded to it and cannot be mounted; inside,
# it is at the default path: testcontainers/testcontainers-node, docs/supported-container-runtimes.md, "Colima", and for Docker
# Desktop testcontainers/testcontainers-java, pull request 7058. Another kernel than this machine's tells such an engine.
# In a rootless engine the calling user is root (Docker manual, "Rootless mode"), who owns project and socket.
find_socket() {
  facts=$(docker info --format '{{.KernelVersion}} {{.SecurityOptions}}')
  caller=$(id -u):$(id -g)
  case $facts in
    "$(uname -r) "*)
      engine_is_here=yes
      mounted_socket=${DOCKER_SOCKET:-$socket}
      ;;
    *)
      engine_is_here=
      mounted_socket=${DOCKER_SOCKET:-$default_socket}
      ;;
  esac
  case $facts in
    *name=rootless*)
      caller=0:0
      socket_group=0
      ;;
    *)
      if [ "$mounted_socket" = "$socket" ]; then
        socket_group=$(stat -L -c %g "$socket" 2>/dev/null || echo 0)
      else
        socket_group=$(docker run --rm --volume "$mounted_socket:$default_socket:ro" --entrypoint stat ws-proxy-bench/bench \
          -c %g "$default_socket") ||
          fail "the engine's socket cannot be mounted into a container from $mounted_socket." \
            "Set DOCKER_SOCKET to the socket's path where the engine runs, for one in a virtual machine inside that."
      fi
      ;;
  esac
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
  if [ "$socket" != "$default_socket" ]; then
    fail "no Docker engine answers at $chosen_by." "Start it, or choose another: docker context ls shows them, docker context use NAME."
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
