# Runs when cpack starts. cpack finds the libraries that the packages depend on with these programs; without dpkg-shlibdeps it
# would leave them out without an error.
foreach(program dpkg-shlibdeps file)
  find_program(EIDER_PROGRAM_${program} ${program})
  if(CPACK_GENERATOR STREQUAL "DEB" AND NOT EIDER_PROGRAM_${program})
    message(FATAL_ERROR "cpack needs ${program} to find the libraries that the packages depend on: apt install dpkg-dev file")
  endif()
endforeach()
