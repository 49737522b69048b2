// Valid and invalid single frames: sizes, pings, pongs, reserved bits and opcodes, lengths, masks.
// Layering: must not contain checks; several tests share these cases.
#pragma once

#include <string>

#include "tests/conformance/ws_case.h"

namespace eider::ws {

/// Returns frames whose sizes are at and around the limits of each length encoding.
inline WsCases size_cases() {
  WsCases cases;
  for (const std::size_t bytes : {0UL, 1UL, 2UL, 7UL, 8UL, 9UL, 31UL, 32UL, 33UL, 124UL, 125UL,
                                  126UL, 127UL, 128UL, 255UL, 256UL, 65535UL, 65536UL, 65537UL}) {
    const std::string ascii(bytes, '*');
    const std::string high(bytes, '\xFE');
    const std::string size = std::to_string(bytes) + " bytes";
    cases.push_back({"text of " + size, "5.2", {text(ascii)}, {saw_text(ascii)}});
    cases.push_back({"binary of " + size, "5.2", {binary(high)}, {saw_binary(high)}});
  }
  return cases;
}

inline WsCases control_cases() {
  using enum Refusal;
  const std::string long_one(125, '\xFE');
  WsCases cases{
      {"a ping without payload", "5.5.2", {ping("")}, {saw_ping("")}},
      {"a ping", "5.5.2", {ping("Hello")}, {saw_ping("Hello")}},
      {"a ping that is no text",
       "5.5.2",
       {ping(std::string("\x00\xFF\xFE\xFD\xFC\xFB\x00\xFF", 8))},
       {saw_ping(std::string("\x00\xFF\xFE\xFD\xFC\xFB\x00\xFF", 8))}},
      {"a ping of 125 bytes", "5.5", {ping(long_one)}, {saw_ping(long_one)}},
      {"a pong that nobody asked for", "5.5.3", {pong("")}, {saw_pong("")}},
      {"a pong with payload", "5.5.3", {pong("abc")}, {saw_pong("abc")}},
      {"a pong of 125 bytes", "5.5", {pong(long_one)}, {saw_pong(long_one)}},
      {"a pong, then a ping", "5.5.3", {pong("a"), ping("b")}, {saw_pong("a"), saw_ping("b")}},
      {"pings and texts in turn",
       "5.5.2",
       {ping("1"), text("a"), ping("2"), text("b")},
       {saw_ping("1"), saw_text("a"), saw_ping("2"), saw_text("b")}},
      {"a ping of 126 bytes", "5.5", {ping(std::string(126, 'x'))}, {saw_refused(long_control)}},
      {"a pong of 126 bytes", "5.5", {pong(std::string(126, 'x'))}, {saw_refused(long_control)}},
      {"a close of 126 bytes",
       "5.5",
       {close(1000, std::string(124, 'x'))},
       {saw_refused(long_control)}},
      {"a ping of 65536 bytes",
       "5.5",
       {ping(std::string(65536, 'x'))},
       {saw_refused(long_control)}},
      {"a ping behind a text it does not spoil",
       "5.5",
       {text("a"), ping(std::string(126, 'x'))},
       {saw_text("a"), saw_refused(long_control)}},
      {"a ping in fragments", "5.5", {{9, "a"}, last("b")}, {saw_refused(fragmented_control)}},
      {"a pong in fragments", "5.5", {{10, "a"}, last("b")}, {saw_refused(fragmented_control)}},
      {"a close in fragments",
       "5.5",
       {{8, "\x03\xE8"}, last("b")},
       {saw_refused(fragmented_control)}},
  };
  WsCase ten{"ten pings at once", "5.5.2", {}, {}};
  for (int count = 0; count < 10; ++count) {
    ten.sent.push_back(ping("payload-" + std::to_string(count)));
    ten.seen.push_back(saw_ping("payload-" + std::to_string(count)));
  }
  cases.push_back(ten);
  return cases;
}

struct NamedOpcode {
  const char* name;
  unsigned char opcode;
};

inline constexpr NamedOpcode kOpcodes[] = {{"a continuation", 0}, {"a text", 1}, {"a binary", 2},
                                           {"a close", 8},        {"a ping", 9}, {"a pong", 10}};

/// "MUST be 0 unless an extension is negotiated that defines meanings for non-zero values"
inline WsCases reserved_bit_cases() {
  WsCases cases;
  for (const NamedOpcode& one : kOpcodes) {
    for (unsigned bits = 1; bits < 8; ++bits) {
      const auto first = static_cast<unsigned char>(kFinal | bits << 4U | one.opcode);
      cases.push_back({"reserved bits " + std::to_string(bits) + " on " + one.name,
                       "5.2",
                       {text("a"), {first, "abc"}, ping("b")},
                       {saw_text("a"), saw_refused(Refusal::reserved_bit)}});
    }
  }
  return cases;
}

/// "If an unknown opcode is received, the receiving endpoint MUST _Fail the WebSocket Connection_"
inline WsCases reserved_opcode_cases() {
  WsCases cases;
  for (const unsigned opcode : {3U, 4U, 5U, 6U, 7U, 11U, 12U, 13U, 14U, 15U}) {
    const std::string name = "opcode " + std::to_string(opcode);
    const SentFrame frame{static_cast<unsigned char>(kFinal | opcode), ""};
    const Seen refused = saw_refused(Refusal::reserved_opcode);
    cases.push_back({name + " alone", "5.2", {frame}, {refused}});
    cases.push_back({name + " with payload", "5.2", {{frame.first, "abc"}}, {refused}});
    cases.push_back(
        {name + " between texts", "5.2", {text("a"), frame, text("b")}, {saw_text("a"), refused}});
    cases.push_back({name + " between fragments", "5.2", {text_start("a"), frame}, {refused}});
  }
  return cases;
}

/// "the minimal number of bytes MUST be used to encode the length"
inline WsCases length_cases() {
  using enum Refusal;
  using enum LengthForm;
  WsCases cases;
  for (const std::size_t bytes : {0UL, 1UL, 125UL}) {
    cases.push_back({std::to_string(bytes) + " bytes with a length of 2",
                     "5.2",
                     {with_length(text(std::string(bytes, 'x')), two_bytes)},
                     {saw_refused(length_not_minimal)}});
  }
  for (const std::size_t bytes : {0UL, 1UL, 125UL, 126UL, 127UL, 65535UL}) {
    cases.push_back({std::to_string(bytes) + " bytes with a length of 8",
                     "5.2",
                     {with_length(binary(std::string(bytes, 'x')), eight_bytes)},
                     {saw_refused(length_not_minimal)}});
  }
  for (const std::uint64_t bytes :
       {std::uint64_t{1} << 63U, (std::uint64_t{1} << 63U) + 5, ~std::uint64_t{0}}) {
    cases.push_back({"a length of " + std::to_string(bytes),
                     "5.2",
                     {announcing(binary("abc"), bytes)},
                     {saw_refused(length_too_large)}});
  }
  cases.push_back({"a ping with a length of 2",
                   "5.5",
                   {with_length(ping("a"), two_bytes)},
                   {saw_refused(long_control)}});
  return cases;
}

/// "a server MUST close the connection upon receiving a frame that is not masked", and a client
/// upon one that is. The expected error depends on the side.
inline WsCases mask_cases(Side side) {
  const Seen refused = saw_refused(side == Side::server ? Refusal::not_masked : Refusal::masked);
  return {
      {"a text masked wrongly", "5.1", {wrongly_masked(text("abc"))}, {refused}},
      {"an empty text masked wrongly", "5.1", {wrongly_masked(text(""))}, {refused}},
      {"a ping masked wrongly", "5.1", {wrongly_masked(ping("abc"))}, {refused}},
      {"a close masked wrongly", "5.1", {wrongly_masked(close(1000))}, {refused}},
      {"a large binary masked wrongly",
       "5.1",
       {wrongly_masked(binary(std::string(70000, 'x')))},
       {refused}},
      {"a last fragment masked wrongly",
       "5.1",
       {text_start("a"), wrongly_masked(last("b"))},
       {refused}},
      {"a second text masked wrongly",
       "5.1",
       {text("a"), wrongly_masked(text("b"))},
       {saw_text("a"), refused}},
  };
}

}  // namespace eider::ws
