# The Debian packages, one for each component of the installation:
#   cpack -G DEB
# A package of libraries or programs depends on what dpkg-shlibdeps finds.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_CONTACT
  "bvhmill maintainers <maintainers@bvhmill.invalid>")
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# Each package has a summary of its own.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(CPACK_COMPONENTS_ALL)
get_directory_property(commit DIRECTORY "${PROJECT_SOURCE_DIR}/lib"
  DEFINITION BVHMILL_GIT_COMMIT)
set(built_from "Built from commit ${commit}.")

# bvhmill_debian(COMPONENT SECTION SUMMARY DESCRIPTION)
macro(bvhmill_debian component section summary description)
  string(TOUPPER ${component} upper)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package_of_${component}})
  set(CPACK_DEBIAN_${upper}_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_COMPONENT_${upper}_DESCRIPTION
    "${summary}\n${description}\n${built_from}")
endmacro()

if(BVHMILL_SERVICE)
  bvhmill_debian(cli graphics "reads, checks and converts BVH motion capture"
"The command line program bvhmill reports exactly what is wrong with BVH
files, and converts them to joint positions and rotations: arrays, tables,
BVH and Second Life's .anim.")
  bvhmill_debian(server graphics "gRPC server for BVH motion capture"
"The server bvhmilld checks and converts BVH files for many users and
programs, and keeps jobs that convert many files.")
  set(CPACK_DEBIAN_SERVER_PACKAGE_DEPENDS "adduser")
  set(CPACK_DEBIAN_SERVER_PACKAGE_SUGGESTS "bvhmill")
  set(control "${CMAKE_CURRENT_SOURCE_DIR}/bvhmilld/control")
  set(CPACK_DEBIAN_SERVER_PACKAGE_CONTROL_EXTRA "${control}/conffiles"
    "${control}/postinst" "${control}/prerm" "${control}/postrm")
endif()

bvhmill_debian(dev libdevel "BVH motion capture as a C++ library"
"Headers, static libraries, and files for CMake and pkg-config. The
component library needs no gRPC. The component client calls a server, and
needs the recommended packages.")
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
  "libabsl-dev, libhwy-dev, libtbb-dev, zlib1g-dev")
set(CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS
  "libgrpc++-dev, libprotobuf-dev, libssl-dev, protobuf-compiler, \
protobuf-compiler-grpc")

if(BVHMILL_PYTHON)
  bvhmill_debian(python python "BVH motion capture as NumPy arrays"
"The Python package bvhmill reads BVH files in the process of Python, and
has clients of a server.")
  # The module is for the Python that it was built with.
  math(EXPR next_minor "${Python3_VERSION_MINOR} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "python3 (>= 3.${Python3_VERSION_MINOR}), python3 (<< 3.${next_minor}), \
python3-numpy")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "python3-grpcio, python3-protobuf")
  set(control "${CMAKE_CURRENT_SOURCE_DIR}/python3-bvhmill")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA
    "${control}/postinst" "${control}/prerm")
endif()

# Each package has these two files. The date is SOURCE_DATE_EPOCH if that is set.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(changelog.in changelog @ONLY)
execute_process(COMMAND gzip -9nc "${CMAKE_CURRENT_BINARY_DIR}/changelog"
  OUTPUT_FILE "${CMAKE_CURRENT_BINARY_DIR}/changelog.gz"
  COMMAND_ERROR_IS_FATAL ANY)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  install(FILES copyright "${CMAKE_CURRENT_BINARY_DIR}/changelog.gz"
    DESTINATION share/doc/${package_of_${component}}
    COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()
include(CPack)
