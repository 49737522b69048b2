# Files that `cmake --install` installs: headers, libraries, the license, and a package with one component per library.
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/eider")
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME dev)  # of packages; a plain `cmake --install` takes all

install(CODE "set(EIDER_INCLUDEDIR \"${CMAKE_INSTALL_INCLUDEDIR}\")
set(EIDER_PUBLIC_HEADERS \"${EIDER_PUBLIC_HEADERS}\")")
install(SCRIPT cmake/EiderInstallHeaders.cmake)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
foreach(component IN LISTS EIDER_COMPONENTS_BUILT)
  install(TARGETS eider_${component} EXPORT eider_${component}_targets)
  install(EXPORT eider_${component}_targets NAMESPACE eider:: DESTINATION ${package_dir}
          FILE eider-${component}.cmake)
endforeach()
if(TARGET eider)
  install(TARGETS eider RUNTIME COMPONENT tool)
endif()
install(TARGETS eider_assets_command EXPORT eider_core_targets RUNTIME)
set(eider_uring OFF)
if(TARGET eider::uring)
  set(eider_uring ON)
endif()
# The libraries that the package must find for each component, as the wings declare them.
set(eider_declared)
foreach(component IN LISTS EIDER_COMPONENTS_BUILT)
  foreach(kind bases packages modules debian)
    string(APPEND eider_declared "set(eider_${kind}_${component} \"${eider_${kind}_${component}}\")\n")
  endforeach()
endforeach()
configure_package_config_file(cmake/eider-config.cmake.in "${PROJECT_BINARY_DIR}/eider-config.cmake"
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file("${PROJECT_BINARY_DIR}/eider-config-version.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/eider-config.cmake" "${PROJECT_BINARY_DIR}/eider-config-version.cmake"
        cmake/EiderLibraries.cmake cmake/EiderAssets.cmake cmake/EiderCompiler.cmake cmake/EiderHardening.cmake
        cmake/EiderViews.cmake cmake/EiderMigrations.cmake cmake/EiderProject.cmake
        DESTINATION ${package_dir})
# Pretty-printers for gdb and lldb: in a folder with a short path, where eider_project() finds them.
set(eider_debuggers cmake/debugger/eider_gdb.py cmake/debugger/eider_lldb.py)
install(FILES ${eider_debuggers} DESTINATION ${CMAKE_INSTALL_DATADIR}/eider)
install(FILES ${eider_debuggers} DESTINATION ${package_dir}/debugger)
include(EiderPkgConfig)
include(EiderPackage)
