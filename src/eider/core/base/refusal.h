// Compile-time checks of literals whose message also appears when the call is inside a lambda.
// Layering: must have no effect on a program that compiles.
#pragma once

// A consteval constructor that fails inside a lambda makes the lambda itself immediate (P2564), and
// the compiler then reports the call of the lambda, without the reason. clang 17 and later do this
// and have no option against it, so with clang the check is an attribute: EIDER_ACCEPTS removes the
// consteval constructor from the overloads, and a constructor that accepts everything has an
// EIDER_REFUSES for each reason. Its conditions are evaluated only if it is selected.
// With g++ the constructor calls a function that is never defined and whose name is the reason. (An
// older g++ does not know P2564. From g++ 14 on, Eider's CMake targets set
// -fno-immediate-escalation.)
#ifdef __clang__
#define EIDER_ACCEPTS(condition) __attribute__((enable_if(condition, "")))
#define EIDER_REFUSES_WITH(condition, text) __attribute__((diagnose_if(condition, text, "error")))
#else
#define EIDER_ACCEPTS(condition)
#define EIDER_REFUSES_WITH(condition, text)
#endif

/// reason  the name of the function that is never defined
#define EIDER_REFUSES(condition, reason) EIDER_REFUSES_WITH(condition, #reason)

namespace eider::detail::base {

#ifdef __clang__
inline constexpr bool kIsRefusedByAttribute = true;
#else
inline constexpr bool kIsRefusedByAttribute = false;
#endif

}  // namespace eider::detail::base
