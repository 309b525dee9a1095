# Install rules, and the files by which find_package(bvhmill) and pkg-config find
# the library. The components of an installation are dev, cli, server, python.

include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/bvhmill")
get_property(public_headers GLOBAL PROPERTY BVHMILL_PUBLIC_HEADERS)
foreach(header IN LISTS public_headers)
  get_filename_component(folder "${header}" DIRECTORY)
  install(FILES "${PROJECT_SOURCE_DIR}/lib/${header}"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/${folder}" COMPONENT dev)
endforeach()

# bvhmill_export(COMPONENT TARGET...): installs the libraries of one component of
# find_package(bvhmill COMPONENTS ...).
function(bvhmill_export component)
  install(TARGETS ${ARGN} EXPORT bvhmill-${component}-targets
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT dev
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT dev)
  install(EXPORT bvhmill-${component}-targets NAMESPACE bvhmill::
    DESTINATION "${package_dir}" COMPONENT dev)
endfunction()

bvhmill_export(library bvhmill)
if(BVHMILL_SERVICE)
  bvhmill_export(client bvhmill_digest bvhmill_settings bvhmill_proto
    bvhmill_wire bvhmill_client)
  install(DIRECTORY "${PROJECT_BINARY_DIR}/proto/bvhmill"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT dev
    FILES_MATCHING PATTERN "*.pb.h")
  install(FILES "${PROJECT_SOURCE_DIR}/client/cpp/client.h"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/bvhmill/client" COMPONENT dev)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/proto/bvhmill"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/bvhmill/proto" COMPONENT dev
    FILES_MATCHING PATTERN "*.proto")
endif()
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/bvhmill-config.cmake.in"
  "${PROJECT_BINARY_DIR}/bvhmill-config.cmake"
  INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/bvhmill-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/bvhmill-config.cmake"
  "${PROJECT_BINARY_DIR}/bvhmill-config-version.cmake"
  DESTINATION "${package_dir}" COMPONENT dev)

# Paths in the file are relative to it, so that the folder can be moved.
file(RELATIVE_PATH BVHMILL_PREFIX_OF_PC "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file("${PROJECT_SOURCE_DIR}/cmake/bvhmill.pc.in"
  "${PROJECT_BINARY_DIR}/bvhmill.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/bvhmill.pc"
  DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT dev)
