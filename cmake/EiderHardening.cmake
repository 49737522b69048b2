# Hardening against memory errors, in optimized builds of the library, its programs and targets that link
# eider::core (docs/operations/compiler-hardening.md). Sanitizers find more without hardening.
if(NOT DEFINED EIDER_HARDENING)
  set(eider_default ON)
  if(EIDER_SANITIZE OR EIDER_FUZZERS OR CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    set(eider_default OFF)
  endif()
  option(EIDER_HARDENING "Compile with hardening against memory errors" ${eider_default})
endif()

# Without optimization, the C library has no checks, and Debug builds are for debuggers.
set(eider_optimised "$<AND:$<COMPILE_LANGUAGE:C,CXX>,$<CONFIG:Release,RelWithDebInfo,MinSizeRel>>")
set(eider_checks -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -fstack-protector-strong -fstack-clash-protection)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|i[3-6]86)$")
  list(APPEND eider_checks -fcf-protection)
endif()

# eider_harden(target scope): adds these options to the target, or to targets that link it.
function(eider_harden target scope)
  target_compile_definitions(${target} ${scope} "$<${eider_optimised}:_GLIBCXX_ASSERTIONS>")
  target_compile_options(${target} ${scope} "$<${eider_optimised}:${eider_checks}>")
  target_link_options(${target} ${scope} LINKER:-z,relro,-z,now,-z,noexecstack)
endfunction()
