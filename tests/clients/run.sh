#!/usr/bin/env bash
# Runs the tests of one language, or those of the pages that a newcomer follows,
# against the programs in BIN.
#
#   run.sh LANGUAGE BIN WORK
#
# LANGUAGE is python, node, node_grpc, wasm, viewer, glb, blender, readme,
# schema, sarif, page or one_page. viewer is the page of client/page; page is that
# of reports. one_page opens the page of reports once. WORK/clients/node,
# WORK/clients/page, WORK/clients/wasm and WORK/clients/node-grpc hold the
# packages of Node.
set -euo pipefail

language=$1
export BVHMILL_BIN=$2
work=$3/clients
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

python=/usr/bin/python3

skip() {
  echo "SKIPPED: $*"
  exit 77
}

need_python() {
  "$python" -c 'import grpc, numpy, google.protobuf' 2>/dev/null \
    || skip "no python3-grpcio, python3-protobuf or python3-numpy"
  [ -x /usr/bin/grpc_python_plugin ] || skip "no protobuf-compiler-grpc"
  export PYTHONDONTWRITEBYTECODE=1
}

run_python() {
  local test
  need_python
  export PYTHONPATH=$work/python
  mkdir -p "$work/python/bvhmill"
  touch "$work/python/bvhmill/__init__.py"
  protoc -I "$here/../../proto" --python_out="$work/python" \
    --grpc_out="$work/python" \
    --plugin=protoc-gen-grpc=/usr/bin/grpc_python_plugin \
    "$here"/../../proto/bvhmill/v1/*.proto
  for test in "$here"/python/*_test.py; do "$python" "$test"; done
}

run_readme() {
  need_python
  export PYTHONPATH=$here/python
  "$python" "$here/readme/steps_test.py"
  "$python" "$here/readme/follow.py" "$work/node/node_modules" \
    README.md docs/command-line.md docs/examples/README.md docs/http.md \
    docs/validate.md
}

run_schema() {
  "$python" -c 'import jsonschema' 2>/dev/null || skip "no python3-jsonschema"
  export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here/python
  "$python" "$here/schema/schema_test.py"
  "$python" "$here/schema/junit_test.py"
}

# The schema of SARIF is in a package of npm.
run_sarif() {
  "$python" -c 'import jsonschema' 2>/dev/null || skip "no python3-jsonschema"
  local folder=$work/node/node_modules/@microsoft/jest-sarif/lib/schemas
  [ -d "$folder" ] || skip "no packages of npm in $work/node"
  export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here/python
  "$python" "$here/schema/sarif_test.py" "$folder"
}

run_node() {
  export NODE_PATH=$work/node/node_modules
  [ -d "$NODE_PATH/nice-grpc" ] || skip "no packages of npm in $work/node"
  node --test "$here"/node/*.test.js
}

# Builds the package @bvhmill/client in WORK, and tests it there.
run_node_grpc() {
  local source=$here/../../client/node-grpc folder=$work/node-grpc
  [ -d "$folder/node_modules/ts-proto" ] \
    || skip "no packages of npm in $folder"
  command -v protoc >/dev/null || skip "no protobuf-compiler"
  rm -rf "$folder/src" "$folder/test"
  cp -r "$source"/{src,test,build.js,tsconfig.json,README.md} "$folder"
  export CHECKOUT=$here/../..
  node "$folder/build.js"
  (cd "$folder" && node --test test/*.test.js)
}

# The package of client/node, with the module of ./dev wasm.
run_wasm() {
  local package=$here/../../client/node
  [ -f "$here/../../build/wasm/bvhmill.wasm" ] \
    || skip "no build/wasm/bvhmill.wasm: ./dev wasm builds it"
  export NODE_PATH=$work/wasm/node_modules
  [ -d "$NODE_PATH/playwright-core" ] || skip "no packages of npm in $work/wasm"
  node "$package/make_package.js"
  node --test "$package"/test/*.test.js
  [ -x /usr/bin/chromium ] || skip "no chromium; the rest was run"
}

# The page of client/page, which ./dev page builds.
run_viewer() {
  local source=$here/../../client/page
  [ -f "$here/../../build/page/index.html" ] \
    || skip "no build/page: ./dev page builds it"
  [ -d "$source/node_modules/playwright-core" ] \
    || skip "no packages of npm in client/page"
  [ -x /usr/bin/chromium ] || skip "no chromium"
  (cd "$source" && npm run --silent budget && node --test test/*.test.js)
}

run_glb() {
  export NODE_PATH=$work/node/node_modules
  [ -d "$NODE_PATH/gltf-validator" ] || skip "no packages of npm in $work/node"
  node --test "$here"/glb/*.test.js
}

# Blender without a window, and with no settings of the user.
run_blender() {
  command -v blender >/dev/null || skip "no blender"
  blender --background --factory-startup --python-exit-code 1 \
    --python "$here/blender/import_test.py"
}

run_page() {
  need_browser
  node --test "$here"/page/*.test.js
}

run_one_page() {
  need_browser
  node --test --test-name-pattern "shows what validate" "$here/page/page.test.js"
}

need_browser() {
  export NODE_PATH=$work/page/node_modules
  [ -d "$NODE_PATH/playwright-core" ] || skip "no packages of npm in $work/page"
  [ -x /usr/bin/chromium ] || skip "no chromium"
}

"run_$language"
