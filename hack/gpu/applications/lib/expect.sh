# What the pieces share; sourced. Documents and logs go to $out, `failures` counts.
# shellcheck shell=bash
failures=0

# Programs that were compiled elsewhere find CUDA's libraries where toolkits and Python environments have them.
find_libraries() {
  local soname found
  while read -r soname; do
    found="$(find /usr/local/cuda*/ /usr/lib /opt /usr/local/lib -name "$soname" 2>/dev/null | head -1)"
    [[ -n "$found" ]] || { echo "FAIL  this machine has no $soname, which $1 needs"; return 1; }
    export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$(dirname "$found")"
  done < <(ldd "$1" | awk '/not found/ { print $1 }' | sort -u)
}

# expect NAME EXIT-CODE PATTERN SECONDS "METRIC[=LOW:HIGH]..." COMMAND...: the document is kept in $out/NAME.json, what it says on stderr in
# $out/NAME.log. It must match the pattern, and have each metric that has bounds, and the first of all.
expect() {
  local name="$1" code="$2" pattern="$3" limit="$4" metrics="$5" got figures start=$SECONDS
  shift 5
  timeout --kill-after 10 "$limit" "$@" >"$out/$name.json" 2>"$out/$name.log"
  got=$?
  # shellcheck disable=SC2086  # a list
  if figures="$(python3 hack/gpu/applications/lib/figures.py show "$out/$name.json" $metrics 2>&1)" && [[ $got -eq $code ]] && grep -Eq "$pattern" "$out/$name.json"; then
    echo "ok    $name ($((SECONDS - start)) s) $figures"
    return
  fi
  failures=$((failures + 1))
  echo "FAIL  $name ($((SECONDS - start)) s): exit code $got, wanted $code and /$pattern/; $figures"
  echo "      $*"
  head -c 1500 "$out/$name.json"
  tail -12 "$out/$name.log" | sed 's/^/      /'
}

# scaling ONE MANY METRIC: of two documents that expect() kept.
scaling() { python3 hack/gpu/applications/lib/figures.py scaling "$out/$1.json" "$out/$2.json" "$3"; }
