# eider_migrations(target DIRECTORY directory [NAME name]): embeds the migrations of the directory into the
# program, as `name()` in `name.h` (default: <target>_migrations.h). An invalid file fails the build
# (docs/guides/data/migrations.md).
function(eider_migrations target)
  cmake_parse_arguments(arg "" "DIRECTORY;NAME" "" ${ARGN})
  get_filename_component(directory "${arg_DIRECTORY}" ABSOLUTE)
  if(NOT arg_DIRECTORY OR NOT IS_DIRECTORY "${directory}")
    message(FATAL_ERROR "eider_migrations(${target}): there is no directory ${directory}")
  endif()
  if(NOT arg_NAME)
    string(MAKE_C_IDENTIFIER "${target}_migrations" arg_NAME)
  endif()
  eider_find_command(command)
  file(GLOB files CONFIGURE_DEPENDS "${directory}/*.sql")
  set(output "${CMAKE_CURRENT_BINARY_DIR}/${target}_migrations/${arg_NAME}")
  eider_note_files("${output}.list" ${files})
  add_custom_command(OUTPUT "${output}.cc" "${output}.h"
    COMMAND ${command} db embed --migrations "${directory}" --out "${output}"
    DEPENDS ${files} "${output}.list" ${command} COMMENT "Migrations of ${directory}" VERBATIM)
  target_sources(${target} PRIVATE "${output}.cc" "${output}.h")
  set_source_files_properties("${output}.cc" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  # The tests of a library with migrations create their database from them.
  target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${CMAKE_CURRENT_BINARY_DIR}/${target}_migrations>")
endfunction()

# Writes the list of files if it has changed. Dependent outputs are then outdated, also after a file
# was deleted or renamed, which the times of the existing files do not show.
function(eider_note_files list)
  file(CONFIGURE OUTPUT "${list}" CONTENT "${ARGN}" @ONLY)
endfunction()

option(EIDER_SQL_CHECK "Check SQL statements against the lock files of eider_checked_sql(); OFF while a schema changes" ON)

# eider_checked_sql(target MIGRATIONS directory | [SQLITE directory] [POSTGRES directory] [MARIADB
# directory] [LOCK file] SOURCES source…): checks the statements of the target's sources against the
# lock file (default: queries.lock). The target <target>_sql_check creates that file from the
# migrations, with a scratch database for each named kind; MIGRATIONS means SQLite
# (docs/guides/data/checked-sql.md).
function(eider_checked_sql target)
  cmake_parse_arguments(arg "" "MIGRATIONS;SQLITE;POSTGRES;MARIADB;LOCK" "SOURCES" ${ARGN})
  if(NOT arg_LOCK)
    set(arg_LOCK queries.lock)
  endif()
  if(arg_MIGRATIONS)
    set(arg_SQLITE "${arg_MIGRATIONS}")
  endif()
  get_filename_component(lock "${arg_LOCK}" ABSOLUTE)
  set(schemas)
  set(files)
  foreach(database sqlite postgres mariadb)
    string(TOUPPER ${database} upper)
    if(arg_${upper})
      get_filename_component(migrations "${arg_${upper}}" ABSOLUTE)
      list(APPEND schemas "--${database}" "${migrations}")
      file(GLOB of_database CONFIGURE_DEPENDS "${migrations}/*.sql")
      list(APPEND files ${of_database})
    endif()
  endforeach()
  if(NOT schemas)
    message(FATAL_ERROR "eider_checked_sql(${target}): set MIGRATIONS, SQLITE, POSTGRES or MARIADB to a directory")
  endif()
  set(sources)
  foreach(source IN LISTS arg_SOURCES)
    get_filename_component(source "${source}" ABSOLUTE)
    list(APPEND sources "${source}")
  endforeach()
  eider_find_command(command)
  add_custom_target(${target}_sql_check
    COMMAND ${command} db check ${schemas} --lock "${lock}" ${sources}
    COMMENT "Checking the statements of ${target}" VERBATIM)
  if(NOT EIDER_SQL_CHECK)
    return()
  endif()
  set(header "${CMAKE_CURRENT_BINARY_DIR}/${target}_migrations/${target}_checked_sql.h")
  eider_note_files("${header}.list" ${files})
  add_custom_command(OUTPUT "${header}"
    COMMAND ${command} db header ${schemas} --lock "${lock}" --out "${header}"
    DEPENDS "${lock}" ${files} "${header}.list" ${command} COMMENT "Statements of ${target}" VERBATIM)
  target_sources(${target} PRIVATE "${header}")
  target_compile_definitions(${target} PRIVATE "EIDER_CHECKED_SQL=\"${header}\"")
endfunction()
