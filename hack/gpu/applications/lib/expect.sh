# Runs programs on a GPU machine and checks the documents they leave; sourced from the repository's root by the pieces beside this folder and
# by hack/gpu/hpl.sh. Documents and logs go to $out, `failures` counts.
# shellcheck shell=bash
: "${out:?}"
failures=0

# What else `expect` shows of a document: parameters by name (* stands for any text), notes, facts.
also=()

# Programs that were compiled elsewhere find CUDA's libraries where toolkits and Python environments have them.
find_libraries() {
  local soname found
  while read -r soname; do
    found="$(find /usr/local/cuda*/ /usr/lib /opt /usr/local/lib -name "$soname" 2>/dev/null | head -1)"
    [[ -n "$found" ]] || { echo "FAIL  this machine has no $soname, which $1 needs"; return 1; }
    LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$(dirname "$found")"
    export LD_LIBRARY_PATH
  done < <(ldd "$1" | awk '/not found/ { print $1 }' | sort -u)
}

# show DOCUMENT METRIC[=LOW:HIGH]...: its figures on one line; fails where one is missing or out of bounds. A script may define another.
show() { python3 hack/gpu/applications/lib/figures.py show "$(IFS=,; echo "${also[*]}")" "$@"; }

# expect NAME EXIT-CODE PATTERN SECONDS "METRIC[=LOW:HIGH]..." COMMAND...: the document is kept in $out/NAME.json, what it says on stderr in
# $out/NAME.log. It must match the pattern, and have each metric that has bounds, and the first of all. Without metrics, any will do, and all
# are shown.
expect() {
  local name="$1" code="$2" pattern="$3" limit="$4" metrics="$5" got figures start=$SECONDS
  shift 5
  timeout --kill-after 10 "$limit" "$@" >"$out/$name.json" 2>"$out/$name.log"
  got=$?
  # shellcheck disable=SC2086  # a list
  if figures="$(show "$out/$name.json" $metrics 2>&1)" && [[ $got -eq $code ]] && grep -Eq "$pattern" "$out/$name.json"; then
    echo "ok    $name ($((SECONDS - start)) s) $figures"
    return
  fi
  failures=$((failures + 1))
  echo "FAIL  $name ($((SECONDS - start)) s): exit code $got, wanted $code and /$pattern/; $figures"
  echo "      $*"
  head -c 1500 "$out/$name.json"
  echo
  tail -12 "$out/$name.log" | sed 's/^/      /'
  return 1
}

# beside NAME PATTERN GPU "NEIGHBOUR-OPTIONS" COMMAND...: runs the command while another process uses the GPU, which its document must tell.
beside() {
  local name="$1" pattern="$2" gpu="$3" options="$4" pid
  shift 4
  # The file of an earlier neighbour says "ready" too.
  : >"$out/neighbour.ready"
  # shellcheck disable=SC2086  # a list
  "${bin:?}/../tools/neighbour" --gpu "$gpu" $options >"$out/neighbour.ready" 2>&1 &
  pid=$!
  for _ in {1..100}; do grep -q ready "$out/neighbour.ready" && break; sleep 0.1; done
  expect "$name" 1 '"undisturbed","ok":false,"message":"'"$pattern" 90 "" "$@"
  kill "$pid" 2>/dev/null
  wait "$pid" 2>/dev/null
}

# scaling ONE MANY METRIC: of two documents that expect() kept.
scaling() { python3 hack/gpu/applications/lib/figures.py scaling "$out/$1.json" "$out/$2.json" "$3"; }
