// Valid and invalid chunked bodies, each with its RFC section and the expected result.
// Layering: must not contain checks; several tests share these cases.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eider/protocols/http/h1/refusal.h"

namespace eider::h1 {

/// section  RFC and section
/// refusal  Refusal::none: the body is accepted and decodes to `content`
struct ChunkedCase {
  std::string_view what;
  std::string_view section;
  std::string bytes;
  Refusal refusal = Refusal::none;
  std::string content = {};
};

/// Returns the body "abc", with `extension` after its chunk size.
inline std::string with_extension(std::string_view extension) {
  return "3" + std::string(extension) + "\r\nabc\r\n0\r\n\r\n";
}
/// Returns the body "abc" with trailer lines, each ending in CRLF.
inline std::string with_trailer(std::string_view lines) {
  return "3\r\nabc\r\n0\r\n" + std::string(lines) + "\r\n";
}

inline std::vector<ChunkedCase> good_chunked_cases() {
  using enum Refusal;
  return {
      {"one chunk", "9112, 7.1", "3\r\nabc\r\n0\r\n\r\n", none, "abc"},
      {"two chunks", "9112, 7.1", "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", none, "abcde"},
      {"no content", "9112, 7.1", "0\r\n\r\n", none, ""},
      {"many zeros at the end", "9112, 7.1", "000\r\n\r\n", none, ""},
      {"zeros in front", "9112, 7.1", "0003\r\nabc\r\n0\r\n\r\n", none, "abc"},
      {"hexadecimal", "9112, 7.1", "1A\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\n\r\n", none,
       "abcdefghijklmnopqrstuvwxyz"},
      {"small hexadecimal", "9112, 7.1", "a\r\nabcdefghij\r\n0\r\n\r\n", none, "abcdefghij"},
      {"content like framing", "9112, 7.1", "7\r\n\r\n0\r\n\r\n\r\n0\r\n\r\n", none,
       "\r\n0\r\n\r\n"},
      {"an extension's name", "9112, 7.1.1", with_extension(";a"), none, "abc"},
      {"an extension", "9112, 7.1.1", with_extension(";a=b"), none, "abc"},
      {"two extensions", "9112, 7.1.1", with_extension(";a=b;c"), none, "abc"},
      {"an extension with blanks", "9112, 7.1.1", with_extension(" ; a = b\t;\tc"), none, "abc"},
      {"a quoted extension", "9112, 7.1.1", with_extension(";a=\"b;c\\\"\t\xE9\""), none, "abc"},
      {"an empty quoted extension", "9112, 7.1.1", with_extension(";a=\"\""), none, "abc"},
      {"an extension behind a quoted one", "9112, 7.1.1", with_extension(";a=\"b\" ;c=d"), none,
       "abc"},
      {"an extension of the last chunk", "9112, 7.1.1", "0;a=b\r\n\r\n", none, ""},
      {"a trailer", "9112, 7.1.2", with_trailer("A: b\r\n"), none, "abc"},
      {"two trailers", "9112, 7.1.2", with_trailer("A: b\r\nC:\r\n"), none, "abc"},
      {"a trailer that looks like framing", "9110, 6.5.1",
       with_trailer("Content-Length: 100\r\nTransfer-Encoding: x\r\nHost: b\r\n"), none, "abc"},
      {"8 bits and a tab in a trailer", "9110, 5.5", with_trailer("A: \xE9\tb\r\n"), none, "abc"},
  };
}

inline std::vector<ChunkedCase> bad_chunk_size_cases() {
  using enum Refusal;
  return {
      {"no size", "9112, 7.1", "\r\nabc\r\n0\r\n\r\n", bad_chunk_size},
      {"a plus sign", "9112, 7.1", "+3\r\nabc\r\n0\r\n\r\n", bad_chunk_size},
      {"a minus sign", "9112, 7.1", "-3\r\nabc\r\n0\r\n\r\n", bad_chunk_size},
      {"a prefix", "9112, 7.1", "0x3\r\nabc\r\n0\r\n\r\n", bad_chunk_size},
      {"a letter too far", "9112, 7.1", "g\r\nabc\r\n0\r\n\r\n", bad_chunk_size},
      {"a letter behind", "9112, 7.1", "3g\r\nabc\r\n0\r\n\r\n", bad_chunk_size},
      {"an underscore", "9112, 7.1", "1_0\r\nabc\r\n0\r\n\r\n", bad_chunk_size},
      {"a fraction", "9112, 7.1", "3.0\r\nabc\r\n0\r\n\r\n", bad_chunk_size},
      {"a comma", "9112, 7.1", "3,3\r\nabc\r\n0\r\n\r\n", bad_chunk_size},
      {"a blank in front", "9112, 7.1", " 3\r\nabc\r\n0\r\n\r\n", bad_chunk_size},
      {"a quoted size", "9112, 7.1", "\"3\"\r\nabc\r\n0\r\n\r\n", bad_chunk_size},
      {"8 bits", "9112, 7.1", "\xD9\xA3\r\nabc\r\n0\r\n\r\n", bad_chunk_size},
      {"NUL", "9112, 7.1", std::string("3\0\r\nabc\r\n", 9), bad_chunk_size},
      {"nothing for a second size", "9112, 7.1", "3\r\nabc\r\n\r\n", bad_chunk_size},
      {"an LF for a size", "9112, 7.1", "\n", bad_chunk_size},
      {"a size of sixteen digits", "9112, 7.1", "0000000000000003\r\nabc\r\n", chunk_too_large},
      {"a size of 2 to the 64th", "9112, 7.1", "10000000000000000\r\nabc\r\n", chunk_too_large},
      {"a size of 2 to the 64th and 3", "9112, 7.1", "10000000000000003\r\nabc", chunk_too_large},
      {"a line of LF", "9112, 7.1", "3\nabc\r\n0\r\n\r\n", bare_lf},
      {"a line of CR", "9112, 7.1", "3\rabc\r\n0\r\n\r\n", bare_cr},
      {"two CR", "9112, 7.1", "3\r\r\nabc\r\n0\r\n\r\n", bare_cr},
      {"a line of LF at the last chunk", "9112, 7.1", "0\n\r\n", bare_lf},
      {"more than the size", "9112, 7.1", "3\r\nabcd\r\n0\r\n\r\n", bad_chunk_end},
      {"an LF behind the content", "9112, 7.1", "3\r\nabc\n0\r\n\r\n", bad_chunk_end},
      {"nothing behind the content", "9112, 7.1", "3\r\nabc0\r\n\r\n", bad_chunk_end},
      {"a CR behind the content", "9112, 7.1", "3\r\nabc\r0\r\n\r\n", bare_cr},
  };
}

inline std::vector<ChunkedCase> bad_extension_cases() {
  using enum Refusal;
  return {
      {"a blank behind the size", "9112, 7.1.1", with_extension(" "), bad_chunk_extension},
      {"a tab behind the size", "9112, 7.1.1", with_extension("\t"), bad_chunk_extension},
      {"a word behind the size", "9112, 7.1.1", with_extension(" a"), bad_chunk_extension},
      {"a semicolon alone", "9112, 7.1.1", with_extension(";"), bad_chunk_extension},
      {"a semicolon and a blank", "9112, 7.1.1", with_extension("; "), bad_chunk_extension},
      {"two semicolons", "9112, 7.1.1", with_extension(";;a"), bad_chunk_extension},
      {"no name", "9112, 7.1.1", with_extension(";=b"), bad_chunk_extension},
      {"no value", "9112, 7.1.1", with_extension(";a="), bad_chunk_extension},
      {"no value but another", "9112, 7.1.1", with_extension(";a=;b"), bad_chunk_extension},
      {"a blank behind a name", "9112, 7.1.1", with_extension(";a "), bad_chunk_extension},
      {"two words", "9112, 7.1.1", with_extension(";a b"), bad_chunk_extension},
      {"a blank behind a value", "9112, 7.1.1", with_extension(";a=b "), bad_chunk_extension},
      {"two values", "9112, 7.1.1", with_extension(";a=b=c"), bad_chunk_extension},
      {"a quoted name", "9112, 7.1.1", with_extension(";\"a\""), bad_chunk_extension},
      {"a quote without end", "9112, 7.1.1", with_extension(";a=\"b"), bad_chunk_extension},
      {"a CR in quotes", "9112, 7.1.1", with_extension(";a=\"b\r\n\""), bad_chunk_extension},
      {"an LF in quotes", "9112, 7.1.1", with_extension(";a=\"b\n\""), bad_chunk_extension},
      {"an escaped CR", "9112, 7.1.1", with_extension(";a=\"b\\\r\n\""), bad_chunk_extension},
      {"a letter behind quotes", "9112, 7.1.1", with_extension(";a=\"b\"c"), bad_chunk_extension},
      {"a control byte", "9112, 7.1.1", with_extension(";a\x01"), bad_chunk_extension},
      {"a control byte in quotes", "9112, 7.1.1", with_extension(";a=\"\x01\""),
       bad_chunk_extension},
      {"8 bits in a name", "9112, 7.1.1", with_extension(";\xC3\xA9"), bad_chunk_extension},
      {"an LF behind a semicolon", "9112, 7.1.1", with_extension(";\n"), bad_chunk_extension},
      {"a line of LF behind a name", "9112, 7.1.1", "3;a\nabc\r\n0\r\n\r\n", bare_lf},
      {"a line of LF behind a value", "9112, 7.1.1", "3;a=b\nabc\r\n0\r\n\r\n", bare_lf},
      {"a line of CR behind a name", "9112, 7.1.1", "3;a\rabc\r\n0\r\n\r\n", bare_cr},
      {"a very long extension", "9112, 7.1.1", with_extension(";" + std::string(4097, 'a')),
       chunk_extension_too_large},
      {"a very long gap", "9112, 7.1.1", with_extension(";" + std::string(5000, ' ') + "a"),
       chunk_extension_too_large},
  };
}

inline std::vector<ChunkedCase> bad_trailer_cases() {
  using enum Refusal;
  return {
      {"no colon", "9112, 5", with_trailer("A\r\n"), bad_trailer},
      {"no name", "9112, 5", with_trailer(": b\r\n"), bad_trailer},
      {"a blank before the colon", "9112, 5.1", with_trailer("A : b\r\n"), bad_trailer},
      {"a folded line", "9112, 5.2", with_trailer("A: b\r\n c\r\n"), bad_trailer},
      {"a blank first", "9112, 5.2", with_trailer(" A: b\r\n"), bad_trailer},
      {"NUL in a value", "9110, 5.5", with_trailer(std::string("A: \0\r\n", 6)), bad_trailer},
      {"a control byte in a value", "9110, 5.5", with_trailer("A: \x01\r\n"), bad_trailer},
      {"a control byte in a name", "9110, 5.1", with_trailer("A\x01: b\r\n"), bad_trailer},
      {"8 bits in a name", "9110, 5.1", with_trailer("\xE9: b\r\n"), bad_trailer},
      {"a line of LF", "9112, 2.2", with_trailer("A: b\n"), bare_lf},
      {"a line of CR", "9112, 2.2", with_trailer("A: b\rC: d\r\n"), bare_cr},
      {"an LF at the end", "9112, 2.2", "0\r\n\n", bare_lf},
      {"a CR at the end", "9112, 2.2", "0\r\n\rX", bare_cr},
      {"content behind the last chunk", "9112, 7.1", "0\r\nabc\r\n\r\n", bad_trailer},
      {"very long trailers", "9112, 7.1.2", with_trailer("A: " + std::string(8200, 'b') + "\r\n"),
       trailers_too_large},
      {"very many trailers", "9112, 7.1.2", with_trailer([] {
         std::string lines;
         for (int count = 0; count < 2000; ++count) {
           lines += "A: b\r\n";
         }
         return lines;
       }()),
       trailers_too_large},
  };
}

inline std::vector<ChunkedCase> all_chunked_cases() {
  std::vector<ChunkedCase> all;
  for (auto* cases :
       {good_chunked_cases, bad_chunk_size_cases, bad_extension_cases, bad_trailer_cases}) {
    for (ChunkedCase& one : cases()) {
      all.push_back(std::move(one));
    }
  }
  return all;
}

}  // namespace eider::h1
