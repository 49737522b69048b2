# An overlay port within the sources: vcpkg install eider --overlay-ports=packaging/vcpkg
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
list(REMOVE_ITEM FEATURES core)  # vcpkg's word for what is always there
list(JOIN FEATURES "\;" components)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -DEIDER_TESTS=OFF -DEIDER_EXAMPLES=OFF "-DEIDER_COMPONENTS=core\;${components}")
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/eider)
vcpkg_fixup_pkgconfig()
vcpkg_copy_tools(TOOL_NAMES eider-assets AUTO_CLEAN)
if("client" IN_LIST FEATURES AND "views" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES eider AUTO_CLEAN)
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
