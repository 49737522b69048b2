# An overlay port in the source tree: vcpkg install eider --overlay-ports=packaging/vcpkg
vcpkg_check_linkage(ONLY_STATIC_LIBRARY)
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
vcpkg_find_acquire_program(PKGCONFIG)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    -DEIDER_TESTS=OFF -DEIDER_EXAMPLES=OFF -DCMAKE_POSITION_INDEPENDENT_CODE=ON
    "-DPKG_CONFIG_EXECUTABLE=${PKGCONFIG}" "-DEIDER_COMPONENTS=${FEATURES}"  # among them core, as here
  MAYBE_UNUSED_VARIABLES PKG_CONFIG_EXECUTABLE)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/eider)
vcpkg_fixup_pkgconfig()
vcpkg_copy_tools(TOOL_NAMES eider-assets AUTO_CLEAN)
if(EXISTS "${CURRENT_PACKAGES_DIR}/bin/eider")
  vcpkg_copy_tools(TOOL_NAMES eider AUTO_CLEAN)
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share"
                    "${CURRENT_PACKAGES_DIR}/share/doc")
file(INSTALL "${CURRENT_PORT_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
