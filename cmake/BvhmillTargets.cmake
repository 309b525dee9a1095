# The flags that every target of the project is built with, in one place.
#
# The baseline is the portable one of the platform: no -march here, ever; code
# for newer CPUs is chosen at run time. Floating point contraction is off, so
# that one source gives one result on every CPU.

add_library(bvhmill_flags INTERFACE)
target_compile_features(bvhmill_flags INTERFACE cxx_std_20)
target_compile_options(bvhmill_flags INTERFACE
  -Wall -Wextra -ffp-contract=off $<$<BOOL:${BVHMILL_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlaps in std::string operator+ that are not there (its bug
  # 105651).
  target_compile_options(bvhmill_flags INTERFACE -Wno-restrict)
  if(BVHMILL_PRECOMPILE)
    # The same overlaps have other names if the headers are precompiled.
    target_compile_options(bvhmill_flags INTERFACE
      -Wno-array-bounds -Wno-stringop-overflow)
  endif()
endif()
if(BUILD_SHARED_LIBS)
  # No program replaces functions of the library, so it calls them directly.
  target_compile_options(bvhmill_flags INTERFACE -fno-semantic-interposition)
endif()
if(BVHMILL_SANITIZE)
  target_compile_options(bvhmill_flags INTERFACE
    -fsanitize=${BVHMILL_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(bvhmill_flags INTERFACE -fsanitize=${BVHMILL_SANITIZE})
endif()
if(BVHMILL_FUZZ)
  target_compile_options(bvhmill_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# bvhmill_flagged(TARGET): gives TARGET the project's flags. They stay private:
# a consumer of the installed library chooses its own.
function(bvhmill_flagged target)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:bvhmill_flags>)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
endfunction()

# bvhmill_quick_to_compile(TARGET): for code whose speed does not matter, such as
# tests and the reading of the command line. It compiles in a third less time.
# With `-O0` as a second argument in half the time.
function(bvhmill_quick_to_compile target)
  set(level ${ARGN} -O1)
  list(GET level 0 level)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${level}>)
  if(level STREQUAL "-O0")
    # The checks of the C library need optimization.
    target_compile_options(${target} PRIVATE -U_FORTIFY_SOURCE)
  endif()
endfunction()

# bvhmill_compile_by_folder(TARGET [FOLDER...]): compiles the sources of each
# folder as one, or those of the named folders. For code that includes gRPC, the
# messages, CLI11 or gmock: parsing these takes most of the time. So the names in
# a folder must differ, also those of no linkage. Sources that the build makes
# are compiled alone.
function(bvhmill_compile_by_folder target)
  if(NOT BVHMILL_BY_FOLDER)
    return()
  endif()
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_filename_component(folder "${source}" DIRECTORY)
    if((NOT ARGN AND NOT source MATCHES "^${PROJECT_BINARY_DIR}") OR
       folder IN_LIST ARGN)
      string(MAKE_C_IDENTIFIER "in_${folder}" group)
      set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${group}")
    endif()
  endforeach()
endfunction()

# bvhmill_precompile(TARGET HEADER...): precompiles headers that many sources of
# TARGET include, where BVHMILL_PRECOMPILE is on. A source still includes what it
# uses: builds without it are the rule outside of this project.
function(bvhmill_precompile target)
  if(BVHMILL_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()
