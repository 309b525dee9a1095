#!/usr/bin/env bash
# Installs a build into a fresh folder, then configures, builds and runs the
# consumer and the programs of docs/library.md against nothing else. Checks that
# the headers that page lists are installed, that no others are, that they are
# few, and that each compiles alone.
#
#   run.sh CMAKE BUILD CONSUMER GENERATOR COMPILER CONFIG FLAGS
set -euo pipefail

cmake=$1
build=$2
consumer=$3
generator=$4
compiler=$5
config=$6
flags=$7

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$cmake" --install "$build" --prefix "$work/prefix" --config "$config" \
  > "$work/install.log" || { cat "$work/install.log"; exit 1; }

# Nothing installed may point back at the tree or the build.
source=$(dirname "$(dirname "$(dirname "$consumer")")")
if grep -rIlF -e "$source/" -e "$build/" "$work/prefix"; then
  echo "the files above name a folder of the build" >&2
  exit 1
fi

# The headers of the library are those of the page. Those of the client come
# with the service.
page=$source/docs/library.md
sed -n 's/^| `\(bvhmill\/[a-z_/.]*\)` |.*/\1/p' "$page" | sort > "$work/listed"
(cd "$work/prefix/include" && find bvhmill -type f ! -path 'bvhmill/v1/*' \
  ! -path 'bvhmill/client/*' | sort) > "$work/installed"
diff -u "$work/listed" "$work/installed"
# The list stays short: a header of the library is private unless users need it.
[ "$(grep -c '\.h$' "$work/installed")" -le 16 ]
[ "$(grep -c '\.inc$' "$work/installed")" -le 2 ]
# No header names one that is absent.
absent=0
while IFS=: read -r header name; do
  grep -qE "(^|/)$name\$" "$work/installed" && continue
  echo "$header names $name, which is not installed" >&2
  absent=1
done < <(cd "$work/prefix/include" && xargs grep -oE \
  '[a-z_]+(/[a-z_]+)*\.(h|inc)\b' < "$work/installed" |
  grep -vE ':(absl|string|tbb)/' | sort -u)
[ "$absent" = 0 ]

# Each program of the page begins with "// NAME: what it does". The command line
# and the expected output follow it.
mkdir "$work/programs"
cp -r "$consumer" "$work/consumer"
awk -v out="$work/programs" '
  /^```cpp$/ { getline; name = $2; sub(/:$/, "", name)
               file = out "/" name ".cc"; code = 1 }
  /^```text$/ { file = out "/" name ".expected"; code = 1; next }
  /^```$/ { code = 0 }
  code { print > file }
  !code && $1 == name && /^    / { print $2 > (out "/" name ".input") }
' "$page"
grep -v '\.inc$' "$work/installed" |
  sed 's/.*/#include <&>\n#include <&>/' |
  awk -v out="$work/programs" \
    '{ print > (out "/header_" int((NR + 1) / 2) ".h.cc") }'

"$cmake" -S "$work/consumer" -B "$work/build" -G "$generator" \
  -DPROGRAMS="$work/programs" -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_BUILD_TYPE="$config" -DCMAKE_CXX_FLAGS="$flags"
"$cmake" --build "$work/build" --config "$config"

"$work/build/consumer" > "$work/actual"
cat > "$work/expected" <<'END'
Hips 0 1 2
Knee 0 3 2
Hips 4 5 6
Knee 2 5 6
END
diff -u "$work/expected" "$work/actual"

# All programs run, and print what the page says.
[ "$(ls "$work/programs"/*.expected | wc -l)" -ge 3 ]
mkdir "$work/run"
cp "$source"/tests/install/clips/* "$work/run"
cd "$work/run"
for expected in "$work/programs"/*.expected; do
  name=$(basename "$expected" .expected)
  "$work/build/$name" "$(cat "$work/programs/$name.input")" > "$work/actual"
  diff -u "$expected" "$work/actual"
done

# The first program of the page says which file is missing.
if "$work/build/heights" absent.bvh 2> "$work/actual"; then
  echo "a missing file is no error" >&2
  exit 1
fi
[ "$(cat "$work/actual")" = "absent.bvh: No such file or directory" ]

# The client library has one public header.
if [ -x "$work/build/caller" ]; then
  [ "$(ls "$work/prefix/include/bvhmill/client")" = client.h ]
  [ "$("$work/build/caller")" = UNAVAILABLE ]
fi
