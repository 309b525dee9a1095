# Programs for any Linux with the glibc of this system: with BVHMILL_PORTABLE,
# libraries are linked statically if the system has archives of them. The others
# go into a folder next to the program: see cmake/packages/bundle.

# Searches of libraries prefer archives. Debian's packages of CMake name shared
# ones, so their targets are changed below.
set(CMAKE_FIND_LIBRARY_SUFFIXES .a .so)

# Changes the imported targets of a folder to the archives of their libraries.
function(bvhmill_use_archives)
  get_property(targets DIRECTORY PROPERTY IMPORTED_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(NOT type STREQUAL "SHARED_LIBRARY")
      continue()
    endif()
    get_target_property(file ${target} LOCATION)
    string(REGEX REPLACE "\\.so[.0-9]*$" ".a" archive "${file}")
    if(EXISTS "${archive}")
      get_target_property(configurations ${target} IMPORTED_CONFIGURATIONS)
      foreach(configuration IN LISTS configurations)
        set_target_properties(${target} PROPERTIES
          IMPORTED_LOCATION_${configuration} "${archive}"
          IMPORTED_SONAME_${configuration} "")
      endforeach()
    endif()
  endforeach()
  # gRPC's module finds this one by pkg-config.
  if(TARGET re2::re2)
    set_target_properties(re2::re2 PROPERTIES
      INTERFACE_LINK_LIBRARIES "-l:libre2.a;Threads::Threads")
  endif()
endfunction()
