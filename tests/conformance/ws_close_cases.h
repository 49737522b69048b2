// Valid and invalid close frames: codes, reasons, and frames after them.
// Layering: must not contain checks; several tests share these cases.
#pragma once

#include <string>

#include "tests/conformance/ws_case.h"

namespace eider::ws {

inline WsCases close_code_cases() {
  WsCases cases;
  for (const unsigned code : {1000U, 1001U, 1002U, 1003U, 1007U, 1008U, 1009U, 1010U, 1011U, 1012U,
                              1013U, 1014U, 3000U, 3999U, 4000U, 4999U}) {
    const std::string name = "close code " + std::to_string(code);
    cases.push_back({name, "7.4", {close(code)}, {saw_close(code)}});
    cases.push_back(
        {name + " with a reason", "7.4", {close(code, "bye")}, {saw_close(code, "bye")}});
  }
  for (const unsigned code : {0U, 1U, 999U, 1004U, 1005U, 1006U, 1015U, 1016U, 1100U, 1999U, 2000U,
                              2999U, 5000U, 5999U, 32768U, 65535U}) {
    const std::string name = "close code " + std::to_string(code);
    const Seen refused = saw_refused(Refusal::bad_close_code);
    cases.push_back({name, "7.4", {close(code)}, {refused}});
    cases.push_back({name + " with a reason", "7.4", {close(code, "bye")}, {refused}});
  }
  return cases;
}

inline WsCases close_reason_cases() {
  using enum Refusal;
  const std::string longest(123, 'x');
  return {
      {"a close without code", "5.5.1", {raw_close("")}, {saw_close(1005)}},
      {"a close of one byte", "5.5.1", {raw_close("\x03")}, {saw_refused(half_close_code)}},
      {"a close of one byte of zero",
       "5.5.1",
       {raw_close(std::string(1, '\0'))},
       {saw_refused(half_close_code)}},
      {"the longest reason", "5.5", {close(1000, longest)}, {saw_close(1000, longest)}},
      {"a reason with all lengths of characters",
       "5.5.1",
       {close(1000, "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\xA6\x86")},
       {saw_close(1000, "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\xA6\x86")}},
      {"a reason that is no text", "5.5.1", {close(1000, "\xFF")}, {saw_refused(bad_close_reason)}},
      {"a reason with a surrogate",
       "5.5.1",
       {close(1000, "\xCE\xBA\xED\xA0\x80 edited")},
       {saw_refused(bad_close_reason)}},
      {"a reason cut within a character",
       "5.5.1",
       {close(1000, "abc\xE2\x82")},
       {saw_refused(bad_close_reason)}},
      {"a bad code before a bad reason",
       "5.5.1",
       {close(1005, "\xFF")},
       {saw_refused(bad_close_code)}},
  };
}

inline WsCases behind_close_cases() {
  const Seen seen = saw_close(1000);
  return {
      {"a text behind a close", "1.4", {close(1000), text("a")}, {seen}},
      {"a ping behind a close", "1.4", {close(1000), ping("a")}, {seen}},
      {"a second close", "1.4", {close(1000), close(1001)}, {seen}},
      {"a bad frame behind a close", "1.4", {close(1000), {0xFF, "a"}}, {seen}},
      {"a large binary behind a close",
       "1.4",
       {close(1000), binary(std::string(70000, 'x'))},
       {seen}},
      {"a text, a close, a text",
       "1.4",
       {text("a"), close(1000), text("b")},
       {saw_text("a"), seen}},
      {"a last fragment behind a close", "1.4", {text_start("a"), close(1000), last("b")}, {seen}},
      {"half a header behind a close", "1.4", {close(1000), announcing(binary(""), 65536)}, {seen}},
  };
}

}  // namespace eider::ws
