# The bookstore of examples/ as a project of its own, which dev_bench.py saves files of.
cmake_minimum_required(VERSION 3.25)
project(bookstore LANGUAGES CXX)
find_package(eider REQUIRED
             COMPONENTS accounts core http2 locale oauth passkeys sqlite swagger tls views)
file(GLOB_RECURSE sources CONFIGURE_DEPENDS "*.cc")
list(FILTER sources EXCLUDE REGEX "(_test\\.cc$|/build/eider-dev/)")
add_executable(bookstore ${sources})
target_include_directories(bookstore PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
target_compile_definitions(bookstore PRIVATE HAS_SWAGGER
                           BOOKSTORE_DIRECTORY="${CMAKE_CURRENT_SOURCE_DIR}")
eider_views(bookstore DIRECTORY pages)
eider_assets(bookstore DIRECTORY assets NAME bookstore_assets)
eider_migrations(bookstore DIRECTORY migrations NAME bookstore_migrations)
target_link_libraries(bookstore PRIVATE eider::accounts eider::core eider::http2 eider::locale
                      eider::oauth eider::passkeys eider::sqlite eider::swagger eider::tls
                      eider::views)
