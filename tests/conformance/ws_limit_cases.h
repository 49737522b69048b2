// Messages at and over the limits of bytes and fragments.
// Layering: must not contain checks; several tests share these cases.
#pragma once

#include <string>

#include "tests/conformance/ws_case.h"

namespace eider::ws {

inline constexpr MessageLimits kTenBytes{.message_bytes_max = 10, .fragments_max = 100};
inline constexpr MessageLimits kThreeFragments{.message_bytes_max = 1000, .fragments_max = 3};
inline constexpr MessageLimits kNothing{.message_bytes_max = 0, .fragments_max = 1};

inline WsCases byte_limit_cases() {
  const Seen refused = saw_refused(Refusal::message_too_large);
  return {
      {"a text as large as may be",
       "7.4.1",
       {text("0123456789")},
       {saw_text("0123456789")},
       kTenBytes},
      {"a text one byte too large", "7.4.1", {text("0123456789a")}, {refused}, kTenBytes},
      {"a binary one byte too large", "7.4.1", {binary("0123456789a")}, {refused}, kTenBytes},
      {"fragments as large as may be",
       "7.4.1",
       {text_start("01234"), middle("5678"), last("9")},
       {saw_text("0123456789")},
       kTenBytes},
      {"fragments one byte too large",
       "7.4.1",
       {text_start("01234"), middle("56789"), last("a")},
       {refused},
       kTenBytes},
      {"a first fragment too large",
       "7.4.1",
       {text_start("0123456789a"), last("")},
       {refused},
       kTenBytes},
      {"an empty last fragment at the limit",
       "7.4.1",
       {text_start("0123456789"), last("")},
       {saw_text("0123456789")},
       kTenBytes},
      {"each of two messages as large as may be",
       "7.4.1",
       {text("0123456789"), text_start("01234"), last("56789")},
       {saw_text("0123456789"), saw_text("0123456789")},
       kTenBytes},
      {"a message too large behind one that is not",
       "7.4.1",
       {text("a"), text("0123456789a")},
       {saw_text("a"), refused},
       kTenBytes},
      {"a size that is only announced",
       "7.4.1",
       {announcing(binary(""), 11)},
       {refused},
       kTenBytes},
      {"a huge size that is only announced",
       "7.4.1",
       {announcing(binary(""), (std::uint64_t{1} << 63U) - 1)},
       {refused},
       kTenBytes},
      {"huge sizes that would overflow a sum",
       "7.4.1",
       {binary_start("a"), announcing(last(""), (std::uint64_t{1} << 63U) - 1)},
       {refused},
       kTenBytes},
      {"pings do not count",
       "7.4.1",
       {text_start("01234"), ping(std::string(100, 'p')), last("56789")},
       {saw_ping(std::string(100, 'p')), saw_text("0123456789")},
       kTenBytes},
      {"nothing where nothing may be", "7.4.1", {text("")}, {saw_text("")}, kNothing},
      {"one byte where nothing may be", "7.4.1", {binary("a")}, {refused}, kNothing},
      {"a ping where no message may be", "7.4.1", {ping("abc")}, {saw_ping("abc")}, kNothing},
  };
}

inline WsCases fragment_limit_cases() {
  const Seen refused = saw_refused(Refusal::too_many_fragments);
  return {
      {"as many fragments as may be",
       "10.4",
       in_fragments(text("abc"), 1),
       {saw_text("abc")},
       kThreeFragments},
      {"one fragment too many", "10.4", in_fragments(text("abcd"), 1), {refused}, kThreeFragments},
      {"empty fragments too many",
       "10.4",
       {text_start(""), middle(""), middle(""), middle("")},
       {refused},
       kThreeFragments},
      {"an empty last fragment too many",
       "10.4",
       {text_start("a"), middle("b"), middle("c"), last("")},
       {refused},
       kThreeFragments},
      {"pings between fragments do not count",
       "10.4",
       {text_start("a"), ping("p"), ping("q"), middle("b"), ping("r"), last("c")},
       {saw_ping("p"), saw_ping("q"), saw_ping("r"), saw_text("abc")},
       kThreeFragments},
      {"fragments count for each message anew",
       "10.4",
       {text_start("a"), middle("b"), last("c"), text("d"), text_start("e"), middle("f"),
        last("g")},
       {saw_text("abc"), saw_text("d"), saw_text("efg")},
       kThreeFragments},
      {"a second fragment where one may be",
       "10.4",
       {text_start(""), last("")},
       {refused},
       kNothing},
  };
}

}  // namespace eider::ws
