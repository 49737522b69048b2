# The packages of `cpack -G DEB`: libeider-dev with headers, archives and files for CMake and pkg-config, and eider with the
# command. Builds with -DCMAKE_BUILD_TYPE=RelWithDebInfo also create eider-dbgsym.
set(CPACK_GENERATOR DEB)
set(CPACK_PROJECT_CONFIG_FILE "${CMAKE_CURRENT_LIST_DIR}/EiderPackageCheck.cmake")
set(CPACK_PACKAGE_VENDOR Eider)
set(CPACK_PACKAGE_CONTACT "The Eider authors <eider@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES OFF)  # in static libraries, it would remove symbols that the linker needs
set(CPACK_COMPONENTS_ALL dev tool)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libeider-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEV_DESCRIPTION "Headers and static libraries, with files for CMake and pkg-config")
# The libraries of the core are dependencies; those of components are recommendations.
file(STRINGS tools/packages.txt eider_lines REGEX "^build +[a-z0-9-]+-dev ")
list(TRANSFORM eider_lines REPLACE "^build +([^ ]+) .*" "\\1" OUTPUT_VARIABLE eider_libraries)
set(eider_needed libsimdjson-dev liburing-dev)
set(eider_building libfmt-dev libcli11-dev libtomlplusplus-dev)
list(REMOVE_ITEM eider_libraries ${eider_needed} ${eider_building})
list(JOIN eider_needed ", " CPACK_DEBIAN_DEV_PACKAGE_DEPENDS)
list(JOIN eider_libraries ", " CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS)
# CMake finds several of these libraries with pkg-config. Templates and migrations run the command.
string(APPEND CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS ", pkg-config, eider (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEV_PACKAGE_SHLIBDEPS ON)

set(CPACK_DEBIAN_TOOL_PACKAGE_NAME eider)
set(CPACK_DEBIAN_TOOL_PACKAGE_SECTION devel)
set(CPACK_COMPONENT_TOOL_DESCRIPTION "Command-line tool that creates, checks and measures applications")
set(CPACK_DEBIAN_TOOL_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_TOOL_PACKAGE_RECOMMENDS "libeider-dev (= ${PROJECT_VERSION})")
if(CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
  set(CPACK_DEBIAN_TOOL_DEBUGINFO_PACKAGE ON)
endif()
include(CPack)
