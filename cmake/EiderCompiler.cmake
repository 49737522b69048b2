# Rejects a compiler that miscompiles coroutines. Lines with a leading space are not wrapped.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  message(FATAL_ERROR " eider: g++ ${CMAKE_CXX_COMPILER_VERSION} miscompiles co_await expressions: install clang 19, or g++ 13 or \
later (tested: g++ 14).")
endif()
