// Request heads, good and bad, each with its rule and what must become of it.
// Must not test anything itself: the reader's tests, the server's and the fuzzers' seeds use it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eider/http/h1/refusal.h"

namespace eider::h1 {

/// refusal  Refusal::none: the head is accepted and reads as `reading` (see describe)
struct HeadCase {
  std::string_view what;
  std::string_view section;
  std::string bytes;
  Refusal refusal = Refusal::none;
  std::string_view reading = {};
};

/// A head with this request line and nothing but Host.
inline std::string with_line(std::string_view line) {
  return std::string(line) + "\r\nHost: a\r\n\r\n";
}
/// GET / to host a with this target in place of "/".
inline std::string with_target(std::string_view target) {
  return with_line("GET " + std::string(target) + " HTTP/1.1");
}
/// POST / to host a with these bytes as further field lines, each ending in CRLF.
inline std::string with_fields(std::string_view lines) {
  return "POST / HTTP/1.1\r\nHost: a\r\n" + std::string(lines) + "\r\n";
}
/// GET / with these bytes as all its field lines.
inline std::string with_only(std::string_view lines) {
  return "GET / HTTP/1.1\r\n" + std::string(lines) + "\r\n";
}
/// The same in HTTP/1.0.
inline std::string with_only_1_0(std::string_view lines) {
  return "GET / HTTP/1.0\r\n" + std::string(lines) + "\r\n";
}

std::vector<HeadCase> request_line_cases();
std::vector<HeadCase> target_cases();
std::vector<HeadCase> field_line_cases();
std::vector<HeadCase> host_cases();
std::vector<HeadCase> length_cases();
std::vector<HeadCase> coding_cases();
std::vector<HeadCase> connection_cases();

inline std::vector<HeadCase> all_head_cases() {
  std::vector<HeadCase> all;
  for (auto* cases : {request_line_cases, target_cases, field_line_cases, host_cases, length_cases,
                      coding_cases, connection_cases}) {
    for (HeadCase& one : cases()) {
      all.push_back(std::move(one));
    }
  }
  return all;
}

}  // namespace eider::h1
