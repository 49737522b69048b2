# What `cmake --install` leaves: headers, libraries, and a package with one component per library.
include(CMakePackageConfigHelpers)
get_property(components GLOBAL PROPERTY EIDER_COMPONENTS)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/eider")

install(DIRECTORY src/eider DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h"
        REGEX "/detail/test_[^/]*\\.h$" EXCLUDE)
foreach(component IN LISTS components)
  install(TARGETS eider_${component} EXPORT eider_${component}_targets)
  install(EXPORT eider_${component}_targets NAMESPACE eider:: DESTINATION ${package_dir}
          FILE eider-${component}.cmake)
endforeach()
configure_package_config_file(cmake/eider-config.cmake.in "${PROJECT_BINARY_DIR}/eider-config.cmake"
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file("${PROJECT_BINARY_DIR}/eider-config-version.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/eider-config.cmake" "${PROJECT_BINARY_DIR}/eider-config-version.cmake"
        DESTINATION ${package_dir})
