# Compiler options of all targets: the standard, warnings and sanitizers.
set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

find_program(EIDER_CCACHE ccache)
if(EIDER_CCACHE AND PROJECT_IS_TOP_LEVEL)
  # Without CCACHE_DEPEND, ccache preprocesses each source that it does not know, which takes a
  # twelfth of the time of a first build.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_DEPEND=1 CCACHE_SLOPPINESS=pch_defines,time_macros
      "${EIDER_CCACHE}")
endif()

# With a profile of the frequently executed code, the compiler lays out code for it; see
# docs/performance/profile-guided-optimization.md. This includes link-time optimization, in objects
# that also link without it.
if(EIDER_PROFILE)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    message(FATAL_ERROR "EIDER_PROFILE requires g++, because ./arena/train creates profiles for g++")
  endif()
  set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
  add_compile_options(-ffat-lto-objects)
endif()
if(EIDER_PROFILE STREQUAL "generate")
  add_compile_options(-fprofile-generate -fprofile-update=prefer-atomic)
  add_link_options(-fprofile-generate)
elseif(EIDER_PROFILE STREQUAL "use")
  # Code that the load has not executed is compiled as without a profile.
  add_compile_options(-fprofile-use -fprofile-partial-training -Wno-missing-profile)
  add_link_options(-fprofile-use -fprofile-partial-training -Wno-missing-profile)
elseif(EIDER_PROFILE)
  message(FATAL_ERROR "EIDER_PROFILE must be empty, generate or use, not ${EIDER_PROFILE}")
endif()

add_library(eider_flags INTERFACE)
target_compile_options(eider_flags INTERFACE -Wall -Wextra -Wconversion -Wshadow)
# Only for compilers that ./test uses: others may have additional warnings, which should not fail
# the build.
string(REGEX MATCH "^(GNU 14|Clang 19)\\." met "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
if(EIDER_WERROR AND met)
  target_compile_options(eider_flags INTERFACE -Werror)
endif()
if(EIDER_UNITE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ treats an included source as a header, whose types must not be anonymous.
  target_compile_options(eider_flags INTERFACE -Wno-subobject-linkage)
endif()
# Every function and variable in its own section, so that a program links only those that it uses.
target_compile_options(eider_flags INTERFACE -ffunction-sections -fdata-sections)
# Precompiled headers from ccache may be older than the headers; ninja knows when to rebuild them.
target_compile_options(eider_flags INTERFACE "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
include(EiderHardening)
add_library(eider_hardened INTERFACE)
if(EIDER_HARDENING)
  eider_harden(eider_hardened INTERFACE)
  # Not -fPIC, which prevents inlining of functions, unless the user requests it.
  target_compile_options(eider_hardened INTERFACE
                         $<$<NOT:$<BOOL:$<TARGET_PROPERTY:POSITION_INDEPENDENT_CODE>>>:-fPIE>)
  include(CheckPIESupported)
  check_pie_supported(LANGUAGES CXX)
  set(EIDER_PIE ON)  # for programs
endif()
if(EIDER_SANITIZE)
  add_compile_options(-fsanitize=${EIDER_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${EIDER_SANITIZE})
  if(EIDER_SANITIZE MATCHES "address.*undefined")
    # The address sanitizer detects null pointers itself; these checks take a tenth of the compile time.
    add_compile_options(-fno-sanitize=null)
  endif()
  # The default linker takes five times as long for the hundred large programs with sanitizers.
  find_program(EIDER_LLD NAMES ld.lld-19 ld.lld)
  if(EIDER_LLD AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    add_link_options(--ld-path=${EIDER_LLD})
  endif()
endif()
if(EIDER_FUZZERS)
  # Only the instrumentation that the fuzzers of ./test need. The preset `fuzz` adds the comparisons
  # for libFuzzer.
  add_compile_options(-fsanitize-coverage=inline-8bit-counters,pc-table)
endif()

# eider_unite(target folder source…): with EIDER_UNITE, this number of sources of a folder is
# compiled as one, so that their headers are parsed only once. Names in anonymous namespaces must
# differ within a folder.
function(eider_unite target folder)
  if(NOT EIDER_UNITE)
    return()
  endif()
  set(size 24)
  if(EIDER_UNITE MATCHES "^[0-9]+$")
    set(size ${EIDER_UNITE})
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set(index 0)
  foreach(source IN LISTS ARGN)
    math(EXPR group "${index} / ${size}")
    string(MAKE_C_IDENTIFIER "${folder}_${group}" name)
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP ${name})
    math(EXPR index "${index} + 1")
  endforeach()
endfunction()
