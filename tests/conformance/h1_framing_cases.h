// Cases of Content-Length and Transfer-Encoding (RFC 9112, section 6).
// Layering: must not be used except by tests of request heads.
#pragma once

#include "tests/conformance/h1_head_cases.h"

namespace eider::h1 {

inline std::vector<HeadCase> good_length_cases() {
  using enum Refusal;
  return {
      // Accepted.
      {"a length", "9112, 6.2", with_fields("Content-Length: 5\r\n"), none,
       "POST / host=a 1.1 sized:5 stays Content-Length=5"},
      {"a length in any case", "9110, 5.1", with_fields("CONTENT-length:5 \r\n"), none,
       "POST / host=a 1.1 sized:5 stays CONTENT-length=5"},
      {"no content", "9112, 6.2", with_fields("Content-Length: 0\r\n"), none,
       "POST / host=a 1.1 none stays Content-Length=0"},
      {"zeros in front", "9110, 8.6", with_fields("Content-Length: 0010\r\n"), none,
       "POST / host=a 1.1 sized:10 stays Content-Length=0010"},
      {"the largest length", "9110, 8.6", with_fields("Content-Length: 9223372036854775807\r\n"),
       none,
       "POST / host=a 1.1 sized:9223372036854775807 stays Content-Length=9223372036854775807"},
      {"a length with GET", "9110, 9.3.1", with_only("Host: a\r\nContent-Length: 5\r\n"), none,
       "GET / host=a 1.1 sized:5 stays Content-Length=5"},
      {"a length in HTTP/1.0", "9112, 6.2", with_only_1_0("Content-Length: 5\r\n"), none,
       "GET / host= 1.0 sized:5 closes Content-Length=5"},
  };
}

inline std::vector<HeadCase> bad_length_cases() {
  using enum Refusal;
  using namespace std::string_view_literals;
  return {
      // Rejected.
      {"an empty length", "9112, 6.3", with_fields("Content-Length:\r\n"), bad_content_length},
      {"a plus sign", "9112, 6.3", with_fields("Content-Length: +5\r\n"), bad_content_length},
      {"a minus sign", "9112, 6.3", with_fields("Content-Length: -5\r\n"), bad_content_length},
      {"minus zero", "9112, 6.3", with_fields("Content-Length: -0\r\n"), bad_content_length},
      {"a list of equal lengths", "9112, 6.3", with_fields("Content-Length: 5, 5\r\n"),
       bad_content_length},
      {"a list of lengths", "9112, 6.3", with_fields("Content-Length: 5,6\r\n"),
       bad_content_length},
      {"a comma behind", "9112, 6.3", with_fields("Content-Length: 5,\r\n"), bad_content_length},
      {"a blank inside", "9112, 6.3", with_fields("Content-Length: 5 5\r\n"), bad_content_length},
      {"a tab inside", "9112, 6.3", with_fields("Content-Length: 5\t5\r\n"), bad_content_length},
      {"a fraction", "9112, 6.3", with_fields("Content-Length: 5.0\r\n"), bad_content_length},
      {"an exponent", "9112, 6.3", with_fields("Content-Length: 5e0\r\n"), bad_content_length},
      {"hexadecimal", "9112, 6.3", with_fields("Content-Length: 0x5\r\n"), bad_content_length},
      {"hexadecimal digits", "9112, 6.3", with_fields("Content-Length: a\r\n"), bad_content_length},
      {"an underscore", "9112, 6.3", with_fields("Content-Length: 1_0\r\n"), bad_content_length},
      {"a quoted length", "9112, 6.3", with_fields("Content-Length: \"5\"\r\n"),
       bad_content_length},
      {"a parameter", "9112, 6.3", with_fields("Content-Length: 5;a\r\n"), bad_content_length},
      {"digits of another script", "9112, 6.3", with_fields("Content-Length: \xD9\xA5\r\n"),
       bad_content_length},
      {"NUL behind a length", "9110, 5.5", with_fields("Content-Length: 5\0\r\n"sv),
       bad_field_value},
      {"a bad length and a coding", "9112, 6.3",
       with_fields("Content-Length: x\r\nTransfer-Encoding: chunked\r\n"), bad_content_length},
      {"two lengths", "9112, 6.3", with_fields("Content-Length: 5\r\nContent-Length: 6\r\n"),
       doubled_content_length},
      {"two equal lengths", "9112, 6.3", with_fields("Content-Length: 5\r\nContent-Length: 5\r\n"),
       doubled_content_length},
      {"two lengths of 0", "9112, 6.3", with_fields("Content-Length: 0\r\nContent-Length: 0\r\n"),
       doubled_content_length},
      {"two lengths apart", "9112, 6.3",
       with_fields("Content-Length: 5\r\nA: b\r\ncontent-length: 5\r\n"), doubled_content_length},
      {"two lengths, the second one bad", "9112, 6.3",
       with_fields("Content-Length: 5\r\nContent-Length: x\r\n"), doubled_content_length},
      {"one more than the largest", "9110, 8.6",
       with_fields("Content-Length: 9223372036854775808\r\n"), content_length_too_large},
      {"2 to the 64th", "9110, 8.6", with_fields("Content-Length: 18446744073709551616\r\n"),
       content_length_too_large},
      {"2 to the 64th and 5", "9110, 8.6", with_fields("Content-Length: 18446744073709551621\r\n"),
       content_length_too_large},
      {"a length of forty digits", "9110, 8.6",
       with_fields("Content-Length: 1000000000000000000000000000000000000000\r\n"),
       content_length_too_large},
  };
}

/// Returns the head of a POST request with this Transfer-Encoding.
inline std::string with_coding(std::string_view value) {
  return with_fields("Transfer-Encoding: " + std::string(value) + "\r\n");
}

inline std::vector<HeadCase> good_coding_cases() {
  using enum Refusal;
  return {
      // Accepted.
      {"chunked", "9112, 6.1", with_coding("chunked"), none,
       "POST / host=a 1.1 chunked stays Transfer-Encoding=chunked"},
      {"chunked in any case", "9110, 7.2", with_fields("transfer-ENCODING: Chunked\r\n"), none,
       "POST / host=a 1.1 chunked stays transfer-ENCODING=Chunked"},
      {"chunked with GET", "9110, 9.3.1", with_only("Host: a\r\nTransfer-Encoding: chunked\r\n"),
       none, "GET / host=a 1.1 chunked stays Transfer-Encoding=chunked"},
      {"chunked and 100-continue", "9110, 10.1.1",
       with_fields("Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n"), none,
       "POST / host=a 1.1 chunked stays continue Transfer-Encoding=chunked Expect=100-continue"},
      {"TE", "9110, 10.1.4", with_fields("TE: trailers\r\n"), none,
       "POST / host=a 1.1 none stays TE=trailers"},
  };
}

inline std::vector<HeadCase> bad_coding_cases() {
  using enum Refusal;
  using namespace std::string_view_literals;
  return {
      // Rejected.
      {"a length behind a coding", "9112, 6.1",
       with_fields("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"), length_with_coding},
      {"a coding behind a length", "9112, 6.1",
       with_fields("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"), length_with_coding},
      {"a coding behind a length of 0", "9112, 6.1",
       with_fields("Content-Length: 0\r\nTransfer-Encoding: chunked\r\n"), length_with_coding},
      {"a length of 0 behind a coding", "9112, 6.1",
       with_fields("Transfer-Encoding: chunked\r\nContent-Length: 0\r\n"), length_with_coding},
      {"an unknown coding behind a length", "9112, 6.1",
       with_fields("Content-Length: 5\r\nTransfer-Encoding: x\r\n"), length_with_coding},
      {"a coding in HTTP/1.0", "9112, 6.1", with_only_1_0("Transfer-Encoding: chunked\r\n"),
       coding_in_http_1_0},
      {"an unknown coding in HTTP/1.0", "9112, 6.1", with_only_1_0("Transfer-Encoding: x\r\n"),
       coding_in_http_1_0},
      {"a coding and a length in HTTP/1.0", "9112, 6.1",
       with_only_1_0("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"), coding_in_http_1_0},
      {"an unknown coding", "9112, 6.1", with_coding("x"), unknown_transfer_coding},
      {"gzip", "9112, 6.1", with_coding("gzip"), unknown_transfer_coding},
      {"gzip before chunked", "9112, 6.1", with_coding("gzip, chunked"), unknown_transfer_coding},
      {"identity", "9112, 6.1", with_coding("identity"), unknown_transfer_coding},
      {"identity before chunked", "9112, 6.1", with_coding("identity, chunked"),
       unknown_transfer_coding},
      {"a letter before chunked", "9112, 6.1", with_coding("xchunked"), unknown_transfer_coding},
      {"a letter behind chunked", "9112, 6.1", with_coding("chunkedx"), unknown_transfer_coding},
      {"half of chunked", "9112, 6.1", with_coding("chunk"), unknown_transfer_coding},
      {"gzip in a line before chunked", "9112, 6.1",
       with_fields("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n"),
       unknown_transfer_coding},
      {"chunked twice", "9112, 6.1", with_coding("chunked, chunked"), repeated_chunked},
      {"chunked in two lines", "9112, 6.1",
       with_fields("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
       repeated_chunked},
      {"gzip behind chunked", "9112, 6.3", with_coding("chunked, gzip"), chunked_not_last},
      {"identity behind chunked", "9112, 6.3", with_coding("chunked,identity"), chunked_not_last},
      {"gzip in a line behind chunked", "9112, 6.3",
       with_fields("Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n"), chunked_not_last},
      {"an empty coding", "9112, 6.1", with_coding(""), bad_transfer_coding},
      {"an empty coding in a second line", "9112, 6.1",
       with_fields("Transfer-Encoding: chunked\r\nTransfer-Encoding:\r\n"), bad_transfer_coding},
      {"a comma before", "9112, 6.1", with_coding(", chunked"), bad_transfer_coding},
      {"a comma behind", "9112, 6.1", with_coding("chunked,"), bad_transfer_coding},
      {"a quoted coding", "9112, 6.1", with_coding("\"chunked\""), bad_transfer_coding},
      {"a parameter", "9112, 7.1", with_coding("chunked;q=1"), bad_transfer_coding},
      {"two words", "9112, 6.1", with_coding("chunked chunked"), bad_transfer_coding},
      {"a tab between words", "9112, 6.1", with_coding("x\tchunked"), bad_transfer_coding},
      {"8 bits", "9112, 6.1", with_coding("chunked\xA0"), bad_transfer_coding},
      {"a vertical tab before", "9110, 5.5", with_coding("\vchunked"), bad_field_value},
      {"NUL behind", "9110, 5.5", with_coding("chunked\0"sv), bad_field_value},
      {"a bare CR behind", "9112, 2.2", with_coding("chunked\r"), bare_cr},
      {"a blank before the colon", "9112, 5.1", with_fields("Transfer-Encoding : chunked\r\n"),
       space_before_colon},
  };
}

}  // namespace eider::h1
