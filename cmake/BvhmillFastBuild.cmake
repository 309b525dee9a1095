# Tools that make builds of this project faster, where they are installed:
# ccache, and mold or lld. None of them changes what is built.

include(CheckLinkerFlag)

# A compiler cache. Its sloppiness is what precompiled headers need; checkouts in
# other folders find the same entries.
find_program(BVHMILL_CCACHE ccache)
if(BVHMILL_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1
    "${BVHMILL_CCACHE}")
  # Without it a precompiled header of GCC hides its macros from ccache.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fpch-preprocess)
  endif()
endif()

# A cross compiler has a linker of its own.
if(CMAKE_CROSSCOMPILING)
  return()
endif()
foreach(linker mold lld)
  find_program(BVHMILL_${linker} NAMES ld.${linker} ${linker})
  if(BVHMILL_${linker})
    check_linker_flag(CXX -fuse-ld=${linker} BVHMILL_LINKS_BY_${linker})
    if(BVHMILL_LINKS_BY_${linker})
      add_link_options(-fuse-ld=${linker})
      break()
    endif()
  endif()
endforeach()
