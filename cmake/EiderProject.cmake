# Compiles projects of `eider new`. Projects can also contain these lines themselves.

# Copies the pretty-printers into a build folder, where .vscode/launch.json loads them, and links compile_commands.json, where
# clangd finds it. Failures are ignored: the sources may be read-only, or on a file system without links.
function(eider_project_editors)
  foreach(debugger gdb lldb)
    configure_file("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/debugger/eider_${debugger}.py"
                   "${CMAKE_BINARY_DIR}/eider_${debugger}.py" COPYONLY)
  endforeach()
  set(link "${CMAKE_SOURCE_DIR}/compile_commands.json")
  if(CMAKE_GENERATOR MATCHES "Ninja|Makefiles" AND (IS_SYMLINK "${link}" OR NOT EXISTS "${link}"))
    file(RELATIVE_PATH commands "${CMAKE_SOURCE_DIR}" "${CMAKE_BINARY_DIR}/compile_commands.json")
    file(CREATE_LINK "${commands}" "${link}" RESULT ignored SYMBOLIC)
  endif()
endfunction()

# eider_project(target), called after target_link_libraries: sets C++23 with warnings, a precompiled
# header of Eider, and a fast linker for debug builds. Also creates the files that editors and
# debuggers need: compile_commands.json, complete debug information and pretty-printers.
function(eider_project target)
  target_compile_features(${target} PUBLIC cxx_std_23)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF EXPORT_COMPILE_COMMANDS ON)
  target_compile_options(${target} PRIVATE -Wall -Wextra)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # With -g, also types whose functions are in a library without debug information, such as std::string.
    target_compile_options(${target} PRIVATE $<$<CONFIG:Debug>:-fstandalone-debug>)
  endif()
  eider_project_editors()
  # A program uses the precompiled header of the project's library that it links.
  set(from "")
  get_target_property(libraries ${target} LINK_LIBRARIES)
  foreach(library IN LISTS libraries)
    if(TARGET ${library})
      get_target_property(is_ours ${library} EIDER_PROJECT)
      if(is_ours)
        set(from ${library})
      endif()
    endif()
  endforeach()
  if(from)
    target_precompile_headers(${target} REUSE_FROM ${from})
  else()
    target_precompile_headers(${target} PRIVATE <eider/eider.h>)
    set_target_properties(${target} PROPERTIES EIDER_PROJECT ON)
  endif()
  get_target_property(type ${target} TYPE)
  if(NOT type STREQUAL "EXECUTABLE")
    return()
  endif()
  # gdb loads it with the program, if the setting auto-load safe-path permits it.
  file(GENERATE OUTPUT "$<TARGET_FILE:${target}>-gdb.py"
       CONTENT "gdb.execute(r\"\"\"source ${CMAKE_BINARY_DIR}/eider_gdb.py\"\"\")\n" CONDITION $<CONFIG:Debug>)
  # Links in a twentieth of the second that the default linker takes after each edit.
  find_program(EIDER_QUICK_LINKER NAMES mold ld.lld-19 ld.lld)
  if(EIDER_QUICK_LINKER AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_link_options(${target} PRIVATE $<$<CONFIG:Debug>:--ld-path=${EIDER_QUICK_LINKER}>)
  elseif(EIDER_QUICK_LINKER MATCHES "mold$")
    target_link_options(${target} PRIVATE $<$<CONFIG:Debug>:-fuse-ld=mold>)
  endif()
endfunction()

# eider_project_tests(name LIBRARIES library… SOURCES source…): a GoogleTest program; each of its
# cases is a test of ctest.
function(eider_project_tests name)
  cmake_parse_arguments(arg "" "" "LIBRARIES;SOURCES" ${ARGN})
  if(NOT arg_SOURCES)
    message(STATUS "${name} has no tests and is not built")
    return()
  endif()
  find_package(GTest QUIET)
  if(NOT GTest_FOUND)
    message(FATAL_ERROR "the tests need GoogleTest: apt install libgtest-dev, or disable them with -DBUILD_TESTING=OFF")
  endif()
  find_package(eider REQUIRED QUIET COMPONENTS core testing)
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} eider::testing GTest::gtest_main)
  eider_project(${name})
  include(GoogleTest)
  # Tests are discovered when they run, not when they are built: a program that crashes at startup
  # is a failed test.
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST)
endfunction()
