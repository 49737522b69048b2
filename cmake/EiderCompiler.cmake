# Tells another project, once, that its compiler breaks coroutines (docs/howto/await.md); the library itself
# is written around that. A line that begins with a blank is not wrapped.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13
   AND NOT eider_FIND_QUIETLY)
  message(WARNING " eider: g++ ${CMAKE_CXX_COMPILER_VERSION} destroys aggregates and closures in co_await expressions \
twice, and a bare `if (co_await …)` may end in SIGILL: install clang 19, or g++ 13 or later (tested: g++ 14).")
endif()
