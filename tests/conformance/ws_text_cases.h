// Text messages with valid and invalid UTF-8, whole, in fragments and unfinished.
// Layering: must not contain checks; several tests share these cases.
#pragma once

#include <string>
#include <string_view>

#include "tests/conformance/ws_case.h"

namespace eider::ws {

/// good_bytes  of an invalid text: the number of leading bytes that further bytes could complete to
///             a valid text; kIsCut: all of them, because the text is only truncated
struct TextSample {
  const char* what;
  std::string_view bytes;
  std::size_t good_bytes = 0;
};

inline constexpr std::size_t kIsCut = ~std::size_t{0};

inline constexpr TextSample kGoodTexts[] = {
    {"ASCII", "Hello"},
    {"a NUL", {"a\0b", 3}},
    {"DEL", "\x7F"},
    {"U+0080", "\xC2\x80"},
    {"U+07FF", "\xDF\xBF"},
    {"U+0800", "\xE0\xA0\x80"},
    {"U+0FFF", "\xE0\xBF\xBF"},
    {"U+1000", "\xE1\x80\x80"},
    {"U+D7FF, before the surrogates", "\xED\x9F\xBF"},
    {"U+E000, behind the surrogates", "\xEE\x80\x80"},
    {"U+FFFD, the replacement", "\xEF\xBF\xBD"},
    {"U+FFFE, no character", "\xEF\xBF\xBE"},
    {"U+FFFF, no character", "\xEF\xBF\xBF"},
    {"U+FEFF, a byte order mark", "\xEF\xBB\xBFx"},
    {"U+10000", "\xF0\x90\x80\x80"},
    {"U+1FFFF", "\xF0\x9F\xBF\xBF"},
    {"U+3FFFF", "\xF0\xBF\xBF\xBF"},
    {"U+40000", "\xF1\x80\x80\x80"},
    {"U+FFFFF", "\xF3\xBF\xBF\xBF"},
    {"U+100000", "\xF4\x80\x80\x80"},
    {"U+10FFFF, the last", "\xF4\x8F\xBF\xBF"},
    {"Greek", "\xCE\xBA\xE1\xBD\xB9\xCF\x83\xCE\xBC\xCE\xB5"},
    {"all lengths in turn", "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\xA6\x86z"},
    {"a long ASCII run, then a euro", "0123456789012345678901234567890123456789\xE2\x82\xAC"},
    {"a euro, then a long ASCII run",
     "\xE2\x82\xAC"
     "0123456789012345678901234567890123456789"},
};

inline constexpr TextSample kBadTexts[] = {
    {"a lone continuation 80", "\x80", 0},
    {"a lone continuation BF", "\xBF", 0},
    {"a continuation behind ASCII", "abc\x80", 3},
    {"a continuation too many behind two bytes", "\xC3\xA4\x80", 2},
    {"a continuation too many behind three bytes", "\xE2\x82\xAC\x80", 3},
    {"a continuation too many behind four bytes", "\xF0\x9F\xA6\x86\x80", 4},
    {"C0, an overlong start", "\xC0\x80", 0},
    {"C1, an overlong start", "\xC1\xBF", 0},
    {"an overlong slash in two bytes", "\xC0\xAF", 0},
    {"an overlong slash in three bytes", "\xE0\x80\xAF", 1},
    {"an overlong slash in four bytes", "\xF0\x80\x80\xAF", 1},
    {"the last overlong in three bytes", "\xE0\x9F\xBF", 1},
    {"the last overlong in four bytes", "\xF0\x8F\xBF\xBF", 1},
    {"an overlong NUL in two bytes", "\xC0\x80", 0},
    {"U+D800, the first surrogate", "\xED\xA0\x80", 1},
    {"U+DB7F, a surrogate", "\xED\xAD\xBF", 1},
    {"U+DBFF, the last high surrogate", "\xED\xAF\xBF", 1},
    {"U+DC00, the first low surrogate", "\xED\xB0\x80", 1},
    {"U+DFFF, the last surrogate", "\xED\xBF\xBF", 1},
    {"a pair of surrogates", "\xED\xA0\x80\xED\xB0\x80", 1},
    {"a surrogate within Greek", "\xCE\xBA\xE1\xBD\xB9\xCF\x83\xED\xA0\x80 edited", 8},
    {"U+110000, beyond the last", "\xF4\x90\x80\x80", 1},
    {"U+13FFFF", "\xF4\xBF\xBF\xBF", 1},
    {"F5, beyond the last", "\xF5\x80\x80\x80", 0},
    {"F7, beyond the last", "\xF7\xBF\xBF\xBF", 0},
    {"a start of five bytes", "\xF8\x88\x80\x80\x80", 0},
    {"a start of six bytes", "\xFC\x84\x80\x80\x80\x80", 0},
    {"FE", "\xFE", 0},
    {"FF", "\xFF", 0},
    {"FE and FF behind text", "a\xFE\xFF", 1},
    {"two bytes broken off by ASCII", "\xC3(", 1},
    {"three bytes broken off by ASCII", "\xE2\x82(", 2},
    {"three bytes broken off at once", "\xE2(\xA1", 1},
    {"four bytes broken off by ASCII", "\xF0\x9F\xA6(", 3},
    {"four bytes broken off at once", "\xF0(\x8C\xBC", 1},
    {"a start within two bytes", "\xC3\xC3\xA4", 1},
    {"a start within four bytes", "\xF0\x9F\xE2\x82\xAC", 2},
    {"Latin-1", "caf\xE9 au lait", 4},
    {"UTF-16",
     {"\xFF\xFE"
      "a\0",
      4},
     0},
    {"a bad byte behind a long ASCII run", "0123456789012345678901234567890123456789\xFF", 40},
    {"two bytes cut", "a\xC3", kIsCut},
    {"three bytes cut behind one", "\xE2", kIsCut},
    {"three bytes cut behind two", "\xE2\x82", kIsCut},
    {"four bytes cut behind one", "\xF0", kIsCut},
    {"four bytes cut behind two", "\xF0\x9F", kIsCut},
    {"four bytes cut behind three", "\xF0\x9F\xA6", kIsCut},
};

inline WsCases good_text_cases() {
  WsCases cases;
  for (const TextSample& sample : kGoodTexts) {
    const std::string bytes(sample.bytes);
    const std::string what = sample.what;
    cases.push_back({what, "8.1", {text(bytes)}, {saw_text(bytes)}});
    cases.push_back({what + " in fragments of one byte",
                     "8.1",
                     in_fragments(text(bytes), 1),
                     {saw_text(bytes)}});
    cases.push_back({what + " in fragments of two bytes",
                     "8.1",
                     in_fragments(text(bytes), 2),
                     {saw_text(bytes)}});
  }
  return cases;
}

/// Returns cases with each invalid text: whole, in fragments, and only up to the first byte that is
/// certainly invalid. The rest of the frame or of the message is then missing.
inline WsCases bad_text_cases() {
  WsCases cases;
  const Seen refused = saw_refused(Refusal::bad_text);
  for (const TextSample& sample : kBadTexts) {
    const std::string bytes(sample.bytes);
    const std::string what = sample.what;
    cases.push_back({what, "8.1", {text(bytes)}, {refused}});
    cases.push_back({what + " in fragments", "8.1", in_fragments(text(bytes), 1), {refused}});
    if (sample.good_bytes == kIsCut) {
      continue;
    }
    const std::string enough = bytes.substr(0, sample.good_bytes + 1);
    cases.push_back(
        {what + " in an unfinished frame", "8.1", {announcing(text(enough), 100)}, {refused}});
    cases.push_back({what + " in an unfinished message", "8.1", {text_start(enough)}, {refused}});
  }
  return cases;
}

/// Returns cases for two rules: binary messages need not be UTF-8, and the decoder's state after a
/// text does not affect the next one.
inline WsCases other_text_cases() {
  const Seen refused = saw_refused(Refusal::bad_text);
  return {
      {"bytes that are no text in a binary", "5.6", {binary("\xFF\xC3")}, {saw_binary("\xFF\xC3")}},
      {"a bad text behind a good one", "8.1", {text("a"), text("\xFF")}, {saw_text("a"), refused}},
      {"a text cut before a binary", "8.1", {text("\xC3"), binary("\xA4")}, {refused}},
      {"half a character in each of two messages", "8.1", {text("\xC3"), text("\xA4")}, {refused}},
      {"a character on both sides of an empty fragment",
       "8.1",
       {text_start("\xC3"), middle(""), last("\xA4")},
       {saw_text("\xC3\xA4")}},
      {"a character cut at an empty last fragment",
       "8.1",
       {text_start("\xC3"), last("")},
       {refused}},
      {"bytes that are no text behind a binary in fragments",
       "8.1",
       {binary_start("\xC3"), last("\xFF"), text("\xC3\xA4")},
       {saw_binary("\xC3\xFF"), saw_text("\xC3\xA4")}},
  };
}

}  // namespace eider::ws
