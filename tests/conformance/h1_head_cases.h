// Valid and invalid request heads, each with its RFC section and the expected result.
// Layering: must not contain checks; several tests share these cases.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eider/protocols/http/h1/refusal.h"

namespace eider::h1 {

/// section  RFC and section
/// refusal  Refusal::none: the head is accepted, and `describe` returns `reading` for it
struct HeadCase {
  std::string_view what;
  std::string_view section;
  std::string bytes;
  Refusal refusal = Refusal::none;
  std::string_view reading = {};
};

/// Returns a head with this request line and only a Host field.
inline std::string with_line(std::string_view line) {
  return std::string(line) + "\r\nHost: a\r\n\r\n";
}
/// Returns the head of a GET request to host a with this target.
inline std::string with_target(std::string_view target) {
  return with_line("GET " + std::string(target) + " HTTP/1.1");
}
/// Returns the head of POST / to host a with further field lines, each ending in CRLF.
inline std::string with_fields(std::string_view lines) {
  return "POST / HTTP/1.1\r\nHost: a\r\n" + std::string(lines) + "\r\n";
}
/// Returns the head of GET / with only these field lines.
inline std::string with_only(std::string_view lines) {
  return "GET / HTTP/1.1\r\n" + std::string(lines) + "\r\n";
}
/// Returns the head of GET / in HTTP/1.0 with only these field lines.
inline std::string with_only_1_0(std::string_view lines) {
  return "GET / HTTP/1.0\r\n" + std::string(lines) + "\r\n";
}

std::vector<HeadCase> good_line_cases();
std::vector<HeadCase> bad_method_cases();
std::vector<HeadCase> bad_version_cases();
std::vector<HeadCase> good_target_cases();
std::vector<HeadCase> bad_target_cases();
std::vector<HeadCase> bad_form_cases();
std::vector<HeadCase> good_field_cases();
std::vector<HeadCase> bad_name_cases();
std::vector<HeadCase> bad_value_cases();
std::vector<HeadCase> good_host_cases();
std::vector<HeadCase> bad_host_cases();
std::vector<HeadCase> good_connection_cases();
std::vector<HeadCase> bad_connection_cases();
std::vector<HeadCase> good_length_cases();
std::vector<HeadCase> bad_length_cases();
std::vector<HeadCase> good_coding_cases();
std::vector<HeadCase> bad_coding_cases();

inline std::vector<HeadCase> all_head_cases() {
  std::vector<HeadCase> all;
  for (auto* cases :
       {good_line_cases, bad_method_cases, bad_version_cases, good_target_cases, bad_target_cases,
        bad_form_cases, good_field_cases, bad_name_cases, bad_value_cases, good_host_cases,
        bad_host_cases, good_connection_cases, bad_connection_cases, good_length_cases,
        bad_length_cases, good_coding_cases, bad_coding_cases}) {
    for (HeadCase& one : cases()) {
      all.push_back(std::move(one));
    }
  }
  return all;
}

}  // namespace eider::h1
