# The packages that the library needs, for WebAssembly. Those that have code
# are shims in cmake/wasm; Highway, nlohmann-json and fast_float are headers.
# These are linked into a folder of their own, since other headers of the system
# are not for this target.

set(folder "${PROJECT_BINARY_DIR}/include")
file(MAKE_DIRECTORY "${folder}")
foreach(header IN ITEMS hwy/highway.h nlohmann/json.hpp fast_float/fast_float.h)
  get_filename_component(name "${header}" DIRECTORY)
  find_path(BVHMILL_WASM_${name} "${header}" PATHS /usr/include
    NO_CMAKE_FIND_ROOT_PATH REQUIRED)
  file(CREATE_LINK "${BVHMILL_WASM_${name}}/${name}" "${folder}/${name}"
    SYMBOLIC)
endforeach()

foreach(target IN ITEMS absl::cord absl::status absl::statusor ZLIB::ZLIB)
  add_library(${target} INTERFACE IMPORTED)
  target_include_directories(${target} INTERFACE
    "${PROJECT_SOURCE_DIR}/cmake/wasm")
endforeach()
foreach(target IN ITEMS hwy::hwy nlohmann_json::nlohmann_json)
  add_library(${target} INTERFACE IMPORTED)
  target_include_directories(${target} INTERFACE "${folder}")
endforeach()
