#!/usr/bin/env bash
# Installs a build into a fresh folder, then configures, builds and runs the
# consumer against nothing else.
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

"$cmake" -S "$consumer" -B "$work/build" -G "$generator" \
  -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_COMPILER="$compiler" \
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

# The client library has one public header.
if [ -x "$work/build/caller" ]; then
  [ "$(ls "$work/prefix/include/bvhmill/client")" = client.h ]
  [ "$("$work/build/caller")" = UNAVAILABLE ]
fi
