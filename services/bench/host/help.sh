# Sourced by ./bench: the help of every command, which needs neither Docker nor Node.
# The texts are generated from the command line's own definition (services/bench/help/generate.ts); a command is one that has a text.

help_texts=services/bench/help

# show_help COMMAND
show_help() {
  cat "$help_texts/$1.txt"
}

# Whether one of the words asks for help.
asks_for_help() {
  for word in "$@"; do
    case $word in -h | --help) return 0 ;; esac
  done
  return 1
}
