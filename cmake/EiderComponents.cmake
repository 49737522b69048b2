# Creates the libraries of the components that the wings declare.
# A source is every .cc in a folder that is not a test, a benchmark or a fuzzer.
include(GNUInstallDirs)
include(EiderWings)
include(EiderLibraries)
set(EIDER_COMPONENTS "${EIDER_COMPONENTS_ALL}" CACHE STRING
    "Components to build, with those that they need")
foreach(component IN LISTS EIDER_COMPONENTS)
  if(NOT component IN_LIST EIDER_COMPONENTS_ALL)
    message(FATAL_ERROR "Unknown component '${component}' of eider. Components: ${EIDER_COMPONENTS_ALL}")
  endif()
endforeach()
if(EIDER_TESTS OR EIDER_EXAMPLES)
  set(for_tests ${EIDER_COMPONENTS_ALL})  # whatever was chosen, or kept from before there was another
endif()
eider_with_bases(EIDER_COMPONENTS_BUILT core ${EIDER_COMPONENTS} ${for_tests})
include(EiderSwagger)

# Static, so that a program contains only the functions that it calls. With sanitizers, the 150 programs of the tests share
# the libraries instead, because linking each of them takes a third of the time.
set(eider_kind_of_libraries STATIC)
if(EIDER_SANITIZE)
  set(eider_kind_of_libraries SHARED)
endif()

function(eider_make_component name)
  add_library(eider_${name} ${eider_kind_of_libraries})
  if(eider_small_${name})
    eider_make_small(${name})
  endif()
  list(TRANSFORM eider_small_${name} PREPEND "${PROJECT_SOURCE_DIR}/src/eider/" OUTPUT_VARIABLE small_sources)
  foreach(folder IN LISTS eider_folders_${name})
    file(GLOB found CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/eider/${folder}/*.cc")
    list(FILTER found EXCLUDE REGEX "_(test|bench|fuzz)\\.cc$")
    set(small)
    foreach(source IN LISTS found)
      if(folder IN_LIST eider_small_${name} OR source IN_LIST small_sources)
        list(APPEND small "${source}")
      endif()
    endforeach()
    list(REMOVE_ITEM found "" ${small})
    foreach(target IN ITEMS eider_${name} eider_${name}_small)
      if(found)
        target_sources(${target} PRIVATE ${found})
        eider_unite(${target} ${folder} ${found})
      endif()
      set(found ${small})
    endforeach()
  endforeach()
  add_library(eider::${name} ALIAS eider_${name})
  set_target_properties(eider_${name} PROPERTIES EXPORT_NAME ${name} LINKER_LANGUAGE CXX)
  target_compile_features(eider_${name} PUBLIC cxx_std_23)
  if(name STREQUAL "core")
    # Without it, an error that a consteval constructor finds in a lambda has no message (base/refusal.h).
    target_compile_options(eider_core PUBLIC
      "$<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,14>>:-fno-immediate-escalation>")
  endif()
  target_include_directories(eider_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(eider_${name} PRIVATE $<BUILD_INTERFACE:eider_flags> $<BUILD_INTERFACE:eider_hardened>)
  if(eider_hot_${name} AND EIDER_HARDENING)
    target_compile_options(eider_${name} PRIVATE -U_GLIBCXX_ASSERTIONS)
  endif()
  eider_link(${name})
  # Another project's ccache may be set up so that it does not cache sources with precompiled headers.
  if(EIDER_UNITE AND (PROJECT_IS_TOP_LEVEL OR NOT CMAKE_CXX_COMPILER_LAUNCHER))
    eider_precompile(${name})
  endif()
endfunction()

# The objects of the folders and sources that are compiled for size.
function(eider_make_small name)
  add_library(eider_${name}_small OBJECT)
  get_target_property(kind eider_${name} TYPE)
  if(kind STREQUAL "SHARED_LIBRARY")
    set_target_properties(eider_${name}_small PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
  target_compile_features(eider_${name}_small PRIVATE cxx_std_23)
  # Without unwind tables for functions that throw nothing: request handlers do not call these
  # functions, so few stack traces need the tables.
  target_compile_options(eider_${name}_small PRIVATE "$<${eider_optimised}:-Oz;-fno-asynchronous-unwind-tables>")
  foreach(kind COMPILE_OPTIONS COMPILE_DEFINITIONS INCLUDE_DIRECTORIES)
    set_property(TARGET eider_${name}_small APPEND PROPERTY ${kind} "$<TARGET_PROPERTY:eider_${name},${kind}>")
  endforeach()
  target_sources(eider_${name} PRIVATE $<TARGET_OBJECTS:eider_${name}_small>)
endfunction()

# The headers that most sources include are precompiled once for all components with the same flags:
# this saves a third of the time.
function(eider_precompile name)
  set(flags "")
  if(eider_hot_${name} AND EIDER_HARDENING)
    set(flags hot)
  endif()
  get_property(first GLOBAL PROPERTY eider_precompiled_${flags})
  if(first)
    target_precompile_headers(eider_${name} REUSE_FROM ${first})
  else()
    target_precompile_headers(eider_${name} PRIVATE <algorithm> <array> <charconv> <deque> <fstream> <map> <mutex> <set>
                              <unordered_map> <eider/eider.h>)
    set_property(GLOBAL PROPERTY eider_precompiled_${flags} eider_${name})
  endif()
endfunction()

# The components that this component is based on.
function(eider_link name)
  if(eider_building_${name})
    list(APPEND eider_packages_${name} ${eider_building_${name}})
    list(APPEND eider_debian_${name} libcli11-dev libtomlplusplus-dev)
  endif()
  eider_find_libraries(${name})
  if(eider_missing)
    message(FATAL_ERROR "eider::${name} needs ${eider_missing}")
  endif()
  list(TRANSFORM eider_bases_${name} PREPEND eider_ OUTPUT_VARIABLE bases)
  target_link_libraries(eider_${name} PUBLIC ${bases} ${eider_targets_${name}})
  if(eider_building_${name})
    # Only their headers: linking them would require their libraries where the component is used,
    # too.
    foreach(target CLI11::CLI11 tomlplusplus::tomlplusplus)
      target_include_directories(eider_${name} SYSTEM PRIVATE
        $<BUILD_INTERFACE:$<TARGET_PROPERTY:${target},INTERFACE_INCLUDE_DIRECTORIES>>)
    endforeach()
  endif()
endfunction()

# The symbols of the core that exist only with liburing. Programs keep only the sections and shared
# libraries that they use: each library that another component needs would cost every worker from
# one page to a hundred (docs/performance/restarts.md).
function(eider_finish_core)
  target_link_options(eider_core INTERFACE LINKER:--gc-sections,--as-needed)
  # Compact relocations (RELR) take a hundredth of the size, which is 60 KiB in a small program; the
  # loader of glibc 2.36 supports them.
  include(CheckCXXSourceCompiles)
  check_cxx_source_compiles("#include <features.h>
    #if !__GLIBC_PREREQ(2, 36)
    #error too old
    #endif
    int main() {}" EIDER_PACKS_RELOCATIONS)
  if(EIDER_PACKS_RELOCATIONS)
    target_link_options(eider_core INTERFACE LINKER:-z,pack-relative-relocs)
  endif()
  if(EIDER_IO_URING)
    eider_find_uring()
  endif()
  if(TARGET eider::uring)
    target_link_libraries(eider_core PUBLIC eider::uring)
  else()
    # Without the library, loop_uring_absent.cc reports "not built", instead of loop_uring*.cc.
    get_target_property(sources eider_core SOURCES)
    list(FILTER sources EXCLUDE REGEX "loop_uring[a-z_]*\\.cc$")
    list(APPEND sources "${PROJECT_SOURCE_DIR}/src/eider/io/runtime/without_uring/loop_uring_absent.cc")
    set_target_properties(eider_core PROPERTIES SOURCES "${sources}")
  endif()
endfunction()
