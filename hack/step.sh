#!/usr/bin/env bash
# Runs a long command as one step: its output goes to build/logs/NAME.log, and stderr shows one line with what it is doing and
# for how long. Where stderr is no terminal, that is a line at the start, one each minute, and one at the end. When the command
# fails, the end of the log follows, and the exit status is the command's. What succeeds within a second is not mentioned.
#
# Usage: hack/step.sh NAME DESCRIPTION COMMAND...
set -uo pipefail

(($# >= 3)) || { echo "usage: hack/step.sh NAME DESCRIPTION COMMAND..." >&2; exit 2; }
log="build/logs/$1.log" description="$2"
shift 2
root="$(cd "$(dirname "$0")/.." && pwd)"
mkdir -p "$root/build/logs" && : >"$root/$log" || exit 1

elapsed() {
  if ((SECONDS < 60)); then echo "$SECONDS s"; else echo "$((SECONDS / 60)) min $((SECONDS % 60)) s"; fi
}

# The last line of the output, without what moves a cursor.
doing() { tail -c 2000 "$root/$log" | tr '\r' '\n' | tr -cd '\n\40-\176' | sed 's/^ *//' | grep . | tail -n 1; }

# Sleeps are short, because the last one outlives this script.
tell_terminal() {
  local columns line
  while sleep 1; do
    read -r _ columns < <(stty size <&2 2>/dev/null)
    ((columns > 0)) || columns=80
    line="$description, $(elapsed): $(doing)"
    printf '\r\e[K%s' "${line:0:columns-1}" >&2
  done
}

tell_file() {
  local seconds
  sleep 1
  echo "$description (log: $log)" >&2
  for ((seconds = 2; ; seconds++)); do
    sleep 1
    ((seconds % 60)) || echo "$description, $(elapsed): $(doing)" >&2
  done
}

erase='' started=$EPOCHREALTIME
if [[ -t 2 ]]; then
  erase=$'\r\e[K'
  tell_terminal &
else
  tell_file &
fi
teller=$!
trap 'kill "$teller" 2>/dev/null; printf %s "$erase" >&2' EXIT
# In the foreground, so that an interrupt from the keyboard ends it.
"$@" >"$root/$log" 2>&1
code=$?
kill "$teller" 2>/dev/null
wait "$teller" 2>/dev/null
trap - EXIT

if ((code != 0)); then
  echo "$erase$description: failed with exit status $code after $(elapsed); the end of $log:" >&2
  tail -n 40 "$root/$log" | sed 's/^/  /' >&2
elif ((${EPOCHREALTIME/[.,]/} - ${started/[.,]/} > 1000000)); then
  echo "$erase$description: $(elapsed)" >&2
fi
exit "$code"
