# eider_find_tool(out name target): the program that a build runs: the target, or in a cross build
# the program `name` of this machine, from EIDER_HOST_TOOLS or PATH. With an emulator, a cross build
# runs the target, too.
set(EIDER_HOST_TOOLS "" CACHE PATH "For cross builds: the directory with eider and eider-assets for this machine")
function(eider_find_tool out name target)
  if(NOT EIDER_HOST_TOOLS AND (NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR))
    set(${out} ${target} PARENT_SCOPE)
    return()
  endif()
  find_program(EIDER_HOST_${name} ${name} HINTS "${EIDER_HOST_TOOLS}" NO_CMAKE_FIND_ROOT_PATH)
  if(NOT EIDER_HOST_${name})
    message(FATAL_ERROR "A cross build runs ${name} on this machine, but ${name} was not found. Build or install Eider for this \
machine first, then pass the directory of its programs: -DEIDER_HOST_TOOLS=DIR")
  endif()
  set(${out} "${EIDER_HOST_${name}}" PARENT_SCOPE)
endfunction()

# eider_assets(target DIRECTORY directory [NAME name] [FILES file…]): embeds the files below the
# directory (or only the listed ones) in the program, hashed and compressed. `name.h` (default:
# <target>_assets.h) declares them as `name()`. Files that a style sheet refers to must exist.
function(eider_assets target)
  cmake_parse_arguments(arg "" "DIRECTORY;NAME" "FILES" ${ARGN})
  get_filename_component(directory "${arg_DIRECTORY}" ABSOLUTE)
  if(NOT IS_DIRECTORY "${directory}")
    message(FATAL_ERROR "eider_assets(${target}): there is no directory ${directory}")
  endif()
  if(NOT arg_NAME)
    string(MAKE_C_IDENTIFIER "${target}_assets" arg_NAME)
  endif()
  set(files ${arg_FILES})
  if(NOT files)
    file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE "${directory}" "${directory}/*")
    list(FILTER files EXCLUDE REGEX "(^|/)\\.|~$")
  endif()
  list(TRANSFORM files PREPEND "${directory}/" OUTPUT_VARIABLE paths)
  eider_find_tool(command eider-assets eider::assets_command)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}_assets")
  file(MAKE_DIRECTORY "${folder}")
  set(output "${folder}/${arg_NAME}")
  add_custom_command(OUTPUT "${output}.cc" "${output}.h" "${output}.bin"
                     COMMAND ${command} "${directory}" "${output}" ${files}
                     DEPENDS ${command} ${paths} COMMENT "Assets of ${directory}" VERBATIM)
  target_sources(${target} PRIVATE "${output}.cc" "${output}.h")
  set_source_files_properties("${output}.cc" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON OBJECT_DEPENDS "${output}.bin")
  target_include_directories(${target} PRIVATE "${folder}")
endfunction()
