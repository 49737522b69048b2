# Runs when cpack starts. Without dpkg-shlibdeps it would leave out the libraries that the packages depend on, silently.
find_program(EIDER_SHLIBDEPS dpkg-shlibdeps)
if(CPACK_GENERATOR STREQUAL "DEB" AND NOT EIDER_SHLIBDEPS)
  message(FATAL_ERROR "dpkg-shlibdeps was not found, which finds the libraries that the packages depend on: apt install dpkg-dev")
endif()
