# The toolchain of the preset `wasm`: Debian's clang and wasi-libc. The module
# has no threads and no exceptions; its vectors have 128 bits.

# CMake has no platform of this name, and needs none.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang-19)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasi)
# There is no program to link before the module exists.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_CXX_FLAGS_INIT
  "-fno-exceptions -msimd128 -mbulk-memory -msign-ext -mnontrapping-fptoint")
