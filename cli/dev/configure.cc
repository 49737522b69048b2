#include "cli/dev/configure.h"

#include <string_view>

#include "cli/files.h"

namespace eider::dev {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kInclude =
    R"cmake(# Written by eider dev: additions for development builds.
cmake_policy(VERSION 3.24)
# The headers of Eider that a target's sources read, and its own headers that they name. Headers
# in an #if or a comment are skipped: their component may be missing. An #endif too many is one of
# an include guard.
function(eider_dev_precompile target)
  get_target_property(directory ${target} SOURCE_DIR)
  get_target_property(files ${target} SOURCES)
  list(FILTER files EXCLUDE REGEX "[$]<")
  set(headers eider/eider.h)
  while(files)
    set(now "${files}")
    set(files "")
    foreach(file IN LISTS now)
      cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${directory}" NORMALIZE)
      if(DEFINED "seen_${file}" OR NOT EXISTS "${file}" OR IS_DIRECTORY "${file}")
        continue()
      endif()
      set("seen_${file}" YES)
      cmake_path(GET file PARENT_PATH folder)
      file(STRINGS "${file}" lines REGEX "^[ \t]*#[ \t]*(if|endif|include)|/[*]|[*]/")
      string(REGEX REPLACE "[][]" " " lines "${lines}")  # they would join lines
      set(depth 0)
      foreach(line IN LISTS lines)
        if(line MATCHES "^[ \t]*#[ \t]*ifndef[ \t]+[A-Za-z0-9_]*_H[A-Z_]*[ \t]*$")
          continue()
        elseif(line MATCHES "^[ \t]*#[ \t]*if" OR line MATCHES "^[^*]*/[*][^/]*$")
          math(EXPR depth "${depth} + 1")
        elseif(line MATCHES "^[ \t]*#[ \t]*endif|^[^/]*[*]/")
          if(depth GREATER 0)
            math(EXPR depth "${depth} - 1")
          endif()
        elseif(depth EQUAL 0 AND line MATCHES "^[ \t]*#[ \t]*include[ \t]*<(eider/[^>]+)>")
          list(APPEND headers "${CMAKE_MATCH_1}")
        elseif(depth EQUAL 0 AND line MATCHES "^[ \t]*#[ \t]*include[ \t]*\"([^\"]+)\"")
          list(APPEND files "${folder}/${CMAKE_MATCH_1}" "${CMAKE_MATCH_1}")
        endif()
      endforeach()
    endforeach()
  endwhile()
  list(REMOVE_DUPLICATES headers)
  # A misspelled header is reported where it is included, and can be corrected without configuring.
  list(TRANSFORM headers
       REPLACE "(.+)" "#if __has_include(<\\1>)\n#include <\\1>\n#endif\n")
  list(JOIN headers "" text)
  set(header "${EIDER_DEV_DIRECTORY}/${target}_precompiled.h")
  file(CONFIGURE OUTPUT "${header}" CONTENT "${text}" @ONLY)
  target_precompile_headers(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${header}>")
endfunction()
function(eider_dev_add_to directory)
  get_property(targets DIRECTORY "${directory}" PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    get_target_property(linked ${target} LINK_LIBRARIES)
    get_target_property(reused ${target} PRECOMPILE_HEADERS_REUSE_FROM)
    if(type STREQUAL "EXECUTABLE")
      target_sources(${target} PRIVATE "${EIDER_DEV_DIRECTORY}/crash_handler.cc")
    endif()
    if(type MATCHES "^(EXECUTABLE|STATIC_LIBRARY|OBJECT_LIBRARY)$" AND "${linked}" MATCHES "eider::"
       AND NOT reused)
      eider_dev_precompile(${target})
    endif()
  endforeach()
  get_property(below DIRECTORY "${directory}" PROPERTY SUBDIRECTORIES)
  foreach(each IN LISTS below)
    eider_dev_add_to("${each}")
  endforeach()
endfunction()
set(EIDER_DEV_DIRECTORY "${CMAKE_CURRENT_LIST_DIR}")
cmake_language(DEFER DIRECTORY "${CMAKE_SOURCE_DIR}" CALL eider_dev_add_to "${CMAKE_SOURCE_DIR}")
)cmake";

/// After the trace, the handler returns to the instruction that failed, or raises the signal again,
/// so that the process ends as without the handler.
constexpr std::string_view kCrashHandler =
    R"cc(// Written by eider dev: prints the stack trace of a crash.
#include <execinfo.h>
#include <signal.h>
#include <unistd.h>

         namespace {

         constexpr int kFrames = 64;

         void say(const char* text, unsigned long size) {
           (void)!write(STDERR_FILENO, text, size);
         }

         void tell_stack(int number) {
           static constexpr char kBegin[] = "eider-dev: stack\n";
           static constexpr char kEnd[] = "eider-dev: end of stack\n";
           void* frames[kFrames];
           say(kBegin, sizeof(kBegin) - 1);
           backtrace_symbols_fd(frames, backtrace(frames, kFrames), STDERR_FILENO);
           say(kEnd, sizeof(kEnd) - 1);
           raise(number);
         }

         const int kInstalled = [] {
           void* first[1];
           backtrace(first, 1);  // it loads a library, which a handler must not
           struct sigaction action{};
           action.sa_handler = tell_stack;
           action.sa_flags = SA_RESETHAND;
           for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
             sigaction(number, &action, nullptr);
           }
           return 0;
         }();

         }  // namespace
    )cc";

}  // namespace

Result<void, std::string> write_additions(const fs::path& build) {
  std::error_code failed;
  const fs::path directory = build / "eider-dev";
  fs::create_directories(directory, failed);
  if (failed) {
    return fail("cannot create " + directory.string() + ": " + failed.message());
  }
  if (auto done = write_if_new(directory / "additions.cmake", kInclude); !done) {
    return done;
  }
  return write_if_new(directory / "crash_handler.cc", kCrashHandler);
}

std::vector<std::string> configure_words(const Toolchain& toolchain, const Configuring& asked) {
  std::vector<std::string> words{
      toolchain.cmake,
      "-S",
      asked.source,
      "-B",
      asked.build,
      "-G",
      "Ninja",
      "-DCMAKE_MAKE_PROGRAM=" + toolchain.ninja,
      "-DCMAKE_BUILD_TYPE=Debug",
      "-DCMAKE_CXX_FLAGS_DEBUG=-O0 -g1",
      "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
      "-DCMAKE_PROJECT_TOP_LEVEL_INCLUDES=" + (asked.build / "eider-dev/additions.cmake").string()};
  if (!toolchain.compiler.empty()) {
    words.push_back("-DCMAKE_CXX_COMPILER=" + toolchain.compiler);
  }
  if (!toolchain.linker.empty()) {
    words.push_back("-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=" + toolchain.linker);
  }
  if (const fs::path prefix = own_prefix(); !prefix.empty()) {
    words.push_back("-Deider_ROOT=" + prefix.string());
  }
  for (const std::string& definition : asked.definitions) {
    words.push_back("-D" + definition);
  }
  return words;
}

}  // namespace eider::dev
