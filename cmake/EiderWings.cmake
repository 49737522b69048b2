# Reads src/eider/*/wing.cmake. A wing is a folder of src/eider; its file is the only place where
# components are registered:
#   eider_wing(NAME [DEPENDS WING…])   the wings that it may include, and indirectly those that they
#   depend on
#   eider_component(NAME FOLDERS FOLDER… [HEADERS HEADER…] [BASES COMPONENT…] [PACKAGES …]
#                   [MODULES …] [TARGETS …] [BUILDING …] [DEBIAN …] [SMALL FOLDER-OR-SOURCE…] [HOT])
#     The library eider::NAME of the sources in these folders of the wing (`.`: the wing itself).
#     Several wings may add folders and headers to one component:
#     HEADERS   public headers, include/eider/HEADER.h; they and the headers that they include are
#               installed
#     BASES     components that it links (default: core)
#     PACKAGES  for find_package, "NAME VERSION"
#     MODULES   for pkg-config, "NAME MODULE>=VERSION…"
#     TARGETS   targets of both, to link
#     BUILDING  packages whose headers only its own sources include (CLI11 and toml++, for core)
#     DEBIAN    packages of Debian and Ubuntu with these libraries, for messages
#     SMALL     folders and sources that are compiled for size, because requests do not run them
#     HOT       compiled without the checks of the standard library, which cost its requests 5 %
#               (docs/performance/feature-cost.md)
# Versions are those of Debian 12, the oldest ones that are tested. simdjson and Threads do not
# support minimum versions.
set(EIDER_WINGS)
set(EIDER_COMPONENTS_ALL)
set(EIDER_PUBLIC_HEADERS)

macro(eider_wing name)
  set(eider_wing ${name})
  list(APPEND EIDER_WINGS ${name})
endmacro()

macro(eider_component name)
  cmake_parse_arguments(arg "HOT" "" "FOLDERS;HEADERS;BASES;PACKAGES;MODULES;TARGETS;BUILDING;DEBIAN;SMALL" ${ARGN})
  list(APPEND EIDER_COMPONENTS_ALL ${name})
  foreach(header IN LISTS arg_HEADERS)
    list(APPEND EIDER_PUBLIC_HEADERS eider/${header}.h)
    set(eider_component_of_${header} ${name})
  endforeach()
  list(TRANSFORM arg_FOLDERS PREPEND "${eider_wing}/")
  list(TRANSFORM arg_FOLDERS REPLACE "/[.]$" "")
  list(APPEND eider_folders_${name} ${arg_FOLDERS})
  list(TRANSFORM arg_SMALL PREPEND "${eider_wing}/")
  list(APPEND eider_small_${name} ${arg_SMALL})
  foreach(kind BASES PACKAGES MODULES TARGETS BUILDING DEBIAN)
    string(TOLOWER ${kind} eider_kind)
    list(APPEND eider_${eider_kind}_${name} ${arg_${kind}})
  endforeach()
  if(arg_HOT)
    set(eider_hot_${name} ON)
  endif()
endmacro()

file(GLOB eider_wing_files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/eider/*/wing.cmake")
foreach(file IN LISTS eider_wing_files)
  include("${file}")
endforeach()
list(REMOVE_DUPLICATES EIDER_COMPONENTS_ALL)
foreach(component IN LISTS EIDER_COMPONENTS_ALL)
  if(NOT eider_bases_${component} AND NOT component STREQUAL "core")
    set(eider_bases_${component} core)
  endif()
endforeach()
list(REMOVE_ITEM EIDER_COMPONENTS_ALL swagger)  # for those that ask for it
