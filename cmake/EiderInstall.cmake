# What `cmake --install` leaves: headers, libraries, the licence, and a package with one component per library.
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/eider")

install(CODE "set(EIDER_INCLUDEDIR \"${CMAKE_INSTALL_INCLUDEDIR}\")")
install(SCRIPT cmake/EiderInstallHeaders.cmake)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
foreach(component IN LISTS EIDER_COMPONENTS_BUILT)
  install(TARGETS eider_${component} EXPORT eider_${component}_targets)
  install(EXPORT eider_${component}_targets NAMESPACE eider:: DESTINATION ${package_dir}
          FILE eider-${component}.cmake)
endforeach()
if(TARGET eider)
  install(TARGETS eider RUNTIME)
endif()
configure_package_config_file(cmake/eider-config.cmake.in "${PROJECT_BINARY_DIR}/eider-config.cmake"
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file("${PROJECT_BINARY_DIR}/eider-config-version.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/eider-config.cmake" "${PROJECT_BINARY_DIR}/eider-config-version.cmake"
        cmake/EiderLibraries.cmake cmake/EiderCompiler.cmake cmake/EiderHardening.cmake
        DESTINATION ${package_dir})
