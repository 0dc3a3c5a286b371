# Sourced by ./bench: refuses names that do not exist before anything is installed, built or started; each with status 2.
# What a command takes is read from its help text (help.sh).

# ensure_command NAME
ensure_command() {
  check_name command "$1"
}

# check_names COMMAND WORD…: options, battles, proxies, groups and events.
check_names() {
  command=$1
  help=$(show_help "$command")
  shift
  case $help in
    *"[BATTLE]"*) takes=battle ;;
    *"[PROXY...]"*) takes="proxy or group" ;;
    *"<PROXY>"*) takes=proxy ;;
    *) takes= ;;
  esac
  # Whose value is next.
  option=
  for word in "$@"; do
    case $word in
      # What follows is the command line's affair.
      --) return 0 ;;
      --*=*)
        check_name option "${word%%=*}"
        check_value "${word%%=*}" "${word#*=}"
        option=
        ;;
      --*)
        check_name option "$word"
        case $help in
          *"  $word <"*) option=$word ;;
          *) option= ;;
        esac
        ;;
      *)
        check_value "$option" "$word"
        # A second argument is another thing, or too much, which the command line says.
        [ -n "$option" ] || [ "$takes" = "proxy or group" ] || takes=
        option=
        ;;
    esac
  done
}

# check_value OPTION VALUE: without an option it is an argument.
check_value() {
  case $1 in
    '') kind=$takes ;;
    --proxies) kind="proxy or group" ;;
    --event) kind=event ;;
    *) kind= ;;
  esac
  [ -n "$kind" ] || return 0
  set -f
  for name in $(printf '%s\n' "$2" | sed 's/,/ /g'); do
    check_name "$kind" "$name"
  done
  set +f
}

# check_name KIND NAME
check_name() {
  names=$(set +f && names_of "$1")
  case "
$names
" in *"
$2
"*) return 0 ;; esac
  case $1 in
    command) hint="./bench help lists the commands." ;;
    option) hint="./bench $command --help lists them." ;;
    proxy) hint="Expected one proxy, and no group. ./bench list shows them all." ;;
    *) hint="./bench list shows them all." ;;
  esac
  # battles/quick.yaml means quick.
  typed=${2##*/}
  nearest=$(printf '%s\n' "$names" | nearest "${typed%.yaml}")
  printf 'bench: unknown %s: %s\n' "$1" "$2" >&2
  printf '       %s\n' "${nearest:+Did you mean $nearest? }$hint" >&2
  exit 2
}

# names_of KIND: a line each.
names_of() {
  case $1 in
    command) set -- "$help_texts"/*.txt ;;
    battle) set -- battles/*.yaml ;;
    proxy) set -- proxies/*/proxy.json ;;
    "proxy or group")
      names_of proxy
      echo all
      # Of each list of groups what stands between quotation marks.
      cat proxies/*/proxy.json | awk '{ text = text $0 } END {
        while (match(text, /"groups"[^]]*/)) {
          count = split(substr(text, RSTART, RLENGTH), part, "\"")
          for (i = 4; i < count; i += 2) print part[i]
          text = substr(text, RSTART + RLENGTH)
        }
      }'
      return
      ;;
    event)
      sed -n 's/^  "\([^"]*\)": {$/\1/p' services/bench/src/plan/events.json
      return
      ;;
    option)
      printf '%s\n' "$help" | sed -n 's/^  \(-h, \)*\(--[a-z-]*\).*/\2/p'
      return
      ;;
  esac
  for file in "$@"; do
    name=${file%/proxy.json}
    name=${name##*/}
    name=${name%.yaml}
    printf '%s\n' "${name%.txt}"
  done
}

# nearest NAME: of the lines on stdin the one with the least edit distance; nothing when none is near, as commander judges it for
# options: at most 3 edits, and more than 40 % of the longer word in common.
nearest() {
  typed=$1 awk '
    function min(a, b) { return a < b ? a : b }
    function distance(a, b,    i, j, row, above, left) {
      for (j = 0; j <= length(b); j++) row[j] = j
      for (i = 1; i <= length(a); i++) {
        above = row[0]; row[0] = i
        for (j = 1; j <= length(b); j++) {
          left = row[j]
          row[j] = min(min(row[j], row[j - 1]) + 1, above + (substr(a, i, 1) != substr(b, j, 1)))
          above = left
        }
      }
      return row[length(b)]
    }
    BEGIN { typed = ENVIRON["typed"]; least = 4 }
    {
      edits = distance(typed, $0)
      longest = length(typed) > length($0) ? length(typed) : length($0)
      if (edits < least && longest - edits > 0.4 * longest) { least = edits; nearest = $0 }
    }
    END { print nearest }'
}
