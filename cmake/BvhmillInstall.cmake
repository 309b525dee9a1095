# Install rules and the package that find_package(bvhmill) finds.

include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/bvhmill")
set(targets bvhmill)
get_property(public_headers GLOBAL PROPERTY BVHMILL_PUBLIC_HEADERS)
foreach(header IN LISTS public_headers)
  get_filename_component(folder "${header}" DIRECTORY)
  install(FILES "${PROJECT_SOURCE_DIR}/lib/${header}"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/${folder}")
endforeach()
if(BVHMILL_SERVICE)
  list(APPEND targets bvhmill_digest bvhmill_settings bvhmill_proto bvhmill_wire
    bvhmill_client)
  install(DIRECTORY "${PROJECT_BINARY_DIR}/proto/bvhmill"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
    FILES_MATCHING PATTERN "*.pb.h")
  install(FILES "${PROJECT_SOURCE_DIR}/client/cpp/client.h"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/bvhmill/client")
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/proto/bvhmill"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/bvhmill/proto"
    FILES_MATCHING PATTERN "*.proto")
endif()
install(TARGETS ${targets} EXPORT bvhmill-targets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(EXPORT bvhmill-targets NAMESPACE bvhmill::
  DESTINATION "${package_dir}")
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
  DESTINATION "${package_dir}")
