# eider_find_command(out): the command `eider`, from this build or installed; in a cross build, that
# of this machine.
function(eider_find_command out)
  eider_find_tool(command eider eider)
  if(command STREQUAL "eider" AND NOT TARGET eider)  # the library is installed
    find_program(EIDER_COMMAND eider HINTS "${eider_DIR}/../../../bin" "${eider_DIR}/../../tools/eider")  # the latter as vcpkg has it
    if(NOT EIDER_COMMAND)
      message(FATAL_ERROR "the command eider was not found. Install it with the components views, proxy and jobs")
    endif()
    set(command "${EIDER_COMMAND}")
  endif()
  set(${out} "${command}" PARENT_SCOPE)
endfunction()

# eider_views(target FILES template… | DIRECTORY directory): compiles templates into the target,
# which includes the header of a page as "NAME.h": "notes/list.html.h". Names of templates are
# relative to the directory; with FILES, to the folder of the CMakeLists.txt
# (docs/guides/pages/templates.md).
function(eider_views target)
  cmake_parse_arguments(arg "" "DIRECTORY" "FILES" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS OR (arg_DIRECTORY AND arg_FILES) OR NOT (arg_DIRECTORY OR arg_FILES))
    message(FATAL_ERROR "eider_views(target FILES template… | DIRECTORY directory)")
  endif()
  set(root "${CMAKE_CURRENT_SOURCE_DIR}")
  set(names ${arg_FILES})
  if(arg_DIRECTORY)
    get_filename_component(root "${arg_DIRECTORY}" ABSOLUTE)
    file(GLOB_RECURSE names RELATIVE "${root}" CONFIGURE_DEPENDS "${root}/*.html")
  endif()
  eider_find_command(command)
  set(out "${CMAKE_CURRENT_BINARY_DIR}/${target}_views")
  list(TRANSFORM names REPLACE "(.+)" "${out}/\\1.h" OUTPUT_VARIABLE headers)
  list(TRANSFORM names REPLACE "(.+)" "${out}/\\1.cc" OUTPUT_VARIABLE sources)
  list(TRANSFORM names PREPEND "${root}/" OUTPUT_VARIABLE templates)
  add_custom_command(OUTPUT ${headers} ${sources}
    COMMAND ${command} views --out "${out}" --root "${root}" ${names}
    DEPENDS ${templates} ${command} COMMENT "Compiling templates of ${target}" VERBATIM)
  target_sources(${target} PRIVATE ${headers} ${sources})
  if(COMMAND eider_unite)  # within this project
    eider_unite(${target} ${target}_generated ${sources})
  endif()
  target_include_directories(${target} PRIVATE "${out}")
  target_link_libraries(${target} PRIVATE eider::views)
endfunction()
