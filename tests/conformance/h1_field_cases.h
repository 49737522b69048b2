// Cases of field lines, Host and Connection (RFC 9112, sections 3.2, 5 and 9).
// Layering: must not be used except by tests of request heads.
#pragma once

#include "tests/conformance/h1_head_cases.h"

namespace eider::h1 {

inline std::vector<HeadCase> good_field_cases() {
  using enum Refusal;
  constexpr std::string_view kPlain = "POST / host=a 1.1 none stays";
  return {
      // Accepted.
      {"a field", "9112, 5", with_fields("A: b\r\n"), none, "POST / host=a 1.1 none stays A=b"},
      {"no blank behind the colon", "9112, 5.1", with_fields("A:b\r\n"), none,
       "POST / host=a 1.1 none stays A=b"},
      {"blanks around a value", "9112, 5.1", with_fields("A: \t b c \t \r\n"), none,
       "POST / host=a 1.1 none stays A=b c"},
      {"an empty value", "9110, 5.5", with_fields("A:\r\n"), none,
       "POST / host=a 1.1 none stays A="},
      {"a value of blanks", "9110, 5.5", with_fields("A: \t \r\n"), none,
       "POST / host=a 1.1 none stays A="},
      {"a tab in a value", "9110, 5.5", with_fields("A: b\tc\r\n"), none,
       "POST / host=a 1.1 none stays A=b\tc"},
      {"8 bits in a value", "9110, 5.5", with_fields("A: \x80\xE9\xFF\r\n"), none,
       "POST / host=a 1.1 none stays A=\x80\xE9\xFF"},
      {"a colon in a value", "9110, 5.5", with_fields("A: b:c\r\n"), none,
       "POST / host=a 1.1 none stays A=b:c"},
      {"every mark that a name may hold", "9110, 5.6.2",
       with_fields("!#$%&'*+-.^_`|~09azAZ: b\r\n"), none,
       "POST / host=a 1.1 none stays !#$%&'*+-.^_`|~09azAZ=b"},
      {"a name over two blocks", "9110, 5.1", with_fields("Aaaaaaaaaaaaaaaaaaaa-1-b: c\r\n"), none,
       "POST / host=a 1.1 none stays Aaaaaaaaaaaaaaaaaaaa-1-b=c"},
      {"the same field twice", "9110, 5.3", with_fields("A: b\r\nA: c\r\n"), none,
       "POST / host=a 1.1 none stays A=b A=c"},
      {"a value over many blocks", "9110, 5.5",
       with_fields("A: 0123456789abcdef 0123456789abcdef\t0123456789abcdef\r\n"), none,
       "POST / host=a 1.1 none stays A=0123456789abcdef 0123456789abcdef\t0123456789abcdef"},
      {"names that only look like framing", "9110, 5.1",
       with_fields("Content_Length: 5\r\nContent-Lengt: 5\r\nTransfer-Encodin: x\r\n"), none,
       "POST / host=a 1.1 none stays Content_Length=5 Content-Lengt=5 Transfer-Encodin=x"},
      {"an empty line at once", "9112, 5", "GET / HTTP/1.0\r\n\r\n", none,
       "GET / host= 1.0 none closes"},
      {"Upgrade without Connection", "9110, 7.8", with_fields("Upgrade: x\r\n"), none,
       "POST / host=a 1.1 none stays Upgrade=x"},
      {"a field named Trailer", "9110, 6.6.2", with_fields("Trailer: Content-Length\r\n"), none,
       "POST / host=a 1.1 none stays Trailer=Content-Length"},
      {"nothing but Host", "9112, 3.2", with_fields(""), none, kPlain},
  };
}

inline std::vector<HeadCase> bad_name_cases() {
  using enum Refusal;
  using namespace std::string_view_literals;
  return {
      // Names.
      {"a space before the colon", "9112, 5.1", with_fields("A : b\r\n"), space_before_colon},
      {"a tab before the colon", "9112, 5.1", with_fields("A\t: b\r\n"), space_before_colon},
      {"a space before the colon of framing", "9112, 5.1",
       with_fields("Content-Length : 5\r\nContent-Length: 6\r\n"), space_before_colon},
      {"a space in a name", "9110, 5.1", with_fields("A b: c\r\n"), space_before_colon},
      {"no name", "9110, 5.1", with_fields(": b\r\n"), bad_field_name},
      {"no colon", "9112, 5", with_fields("A\r\n"), bad_field_name},
      {"no colon but another line", "9112, 5", with_fields("A\r\nB: c\r\n"), bad_field_name},
      {"a line of LF in a name", "9112, 2.2", with_fields("A\nB: c\r\n"), bad_field_name},
      {"NUL in a name", "9110, 5.1", with_fields("A\0B: c\r\n"sv), bad_field_name},
      {"a control byte in a name", "9110, 5.1", with_fields("A\x0B: c\r\n"), bad_field_name},
      {"DEL in a name", "9110, 5.1", with_fields("A\x7F: c\r\n"), bad_field_name},
      {"8 bits in a name", "9110, 5.1", with_fields("\xC3\xA9: c\r\n"), bad_field_name},
      {"a quote in a name", "9110, 5.1", with_fields("\"A\": c\r\n"), bad_field_name},
      {"brackets in a name", "9110, 5.1", with_fields("A[0]: c\r\n"), bad_field_name},
      {"a slash in a name", "9110, 5.1", with_fields("A/B: c\r\n"), bad_field_name},
      {"a comma in a name", "9110, 5.1", with_fields("A,B: c\r\n"), bad_field_name},
      {"@ in a name", "9110, 5.1", with_fields("A@B: c\r\n"), bad_field_name},
      {"{ in a name", "9110, 5.1", with_fields("A{: c\r\n"), bad_field_name},
      {"= in a name", "9110, 5.1", with_fields("A=b\r\n"), bad_field_name},
      {"a bad byte far into a name", "9110, 5.1",
       with_fields("Aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa(: c\r\n"), bad_field_name},
      {"a request line again", "9112, 5", with_fields("GET / HTTP/1.1\r\n"), space_before_colon},
  };
}

inline std::vector<HeadCase> bad_value_cases() {
  using enum Refusal;
  using namespace std::string_view_literals;
  return {
      // Values.
      {"NUL in a value", "9110, 5.5", with_fields("A: b\0c\r\n"sv), bad_field_value},
      {"NUL for a value", "9110, 5.5", with_fields("A: \0\r\n"sv), bad_field_value},
      {"a control byte in a value", "9110, 5.5", with_fields("A: b\x01\r\n"), bad_field_value},
      {"a bell in a value", "9110, 5.5", with_fields("A: \a\r\n"), bad_field_value},
      {"a vertical tab in a value", "9110, 5.5", with_fields("A: b\v\r\n"), bad_field_value},
      {"a form feed in a value", "9110, 5.5", with_fields("A: \fb\r\n"), bad_field_value},
      {"an escape in a value", "9110, 5.5", with_fields("A: \x1B[0m\r\n"), bad_field_value},
      {"the last control byte in a value", "9110, 5.5", with_fields("A: \x1F\r\n"),
       bad_field_value},
      {"DEL in a value", "9110, 5.5", with_fields("A: b\x7F\r\n"), bad_field_value},
      {"a control byte far into a value", "9110, 5.5",
       with_fields("A: 0123456789abcdef0123456789abcdef0123\x02\r\n"), bad_field_value},
      {"a bare CR in a value", "9112, 2.2", with_fields("A: b\rc\r\n"), bare_cr},
      {"a CR at a value's end", "9112, 2.2", with_fields("A: b\r\r\n"), bare_cr},
      {"a bare LF in a value", "9112, 2.2", with_fields("A: b\nC: d\r\n"), bare_lf},
      {"a bare LF behind a tab", "9112, 2.2", with_fields("A: \t\nC: d\r\n"), bare_lf},
      // Lines.
      {"a folded line", "9112, 5.2", with_fields("A: b\r\n c\r\n"), folded_line},
      {"a line folded with a tab", "9112, 5.2", with_fields("A: b\r\n\tc\r\n"), folded_line},
      {"a folded empty line", "9112, 5.2", with_fields("A: b\r\n \r\n"), folded_line},
      {"a blank before the first field", "9112, 2.2", with_only(" Host: a\r\n"), folded_line},
      {"a folded length", "9112, 5.2", with_fields("Content-Length:\r\n 5\r\n"),
       bad_content_length},
      {"a line that folds a coding", "9112, 5.2",
       with_fields("Transfer-Encoding: chunked\r\n , gzip\r\n"), folded_line},
      {"an empty line in LF", "9112, 2.2", "GET / HTTP/1.1\r\nHost: a\r\n\n", bare_lf},
      {"an empty line in CR", "9112, 2.2", "GET / HTTP/1.1\r\nHost: a\r\n\rX", bare_cr},
      {"two CR at the empty line", "9112, 2.2", "GET / HTTP/1.1\r\nHost: a\r\n\r\r\n", bare_cr},
  };
}

inline std::vector<HeadCase> good_host_cases() {
  using enum Refusal;
  return {
      // Accepted.
      {"a name", "9110, 7.2", with_only("Host: example.org\r\n"), none,
       "GET / host=example.org 1.1 none stays"},
      {"a name and a port", "9110, 7.2", with_only("Host: example.org:8080\r\n"), none,
       "GET / host=example.org:8080 1.1 none stays"},
      {"a name and an empty port", "3986, 3.2.3", with_only("Host: a:\r\n"), none,
       "GET / host=a: 1.1 none stays"},
      {"any case", "9110, 5.1", with_only("hOsT: a\r\n"), none, "GET / host=a 1.1 none stays"},
      {"an address", "9110, 7.2", with_only("Host: 127.0.0.1:80\r\n"), none,
       "GET / host=127.0.0.1:80 1.1 none stays"},
      {"an IPv6 address", "3986, 3.2.2", with_only("Host: [fe80::1]\r\n"), none,
       "GET / host=[fe80::1] 1.1 none stays"},
      {"an IPv6 address and a port", "3986, 3.2.2", with_only("Host: [::ffff:1.2.3.4]:80\r\n"),
       none, "GET / host=[::ffff:1.2.3.4]:80 1.1 none stays"},
      {"an empty host", "9110, 7.2", with_only("Host:\r\n"), none, "GET / host= 1.1 none stays"},
      {"an underscore", "3986, 3.2.2", with_only("Host: a_b\r\n"), none,
       "GET / host=a_b 1.1 none stays"},
      {"an escape", "3986, 3.2.2", with_only("Host: a%2Db\r\n"), none,
       "GET / host=a%2Db 1.1 none stays"},
      {"the largest port", "3986, 3.2.3", with_only("Host: a:65535\r\n"), none,
       "GET / host=a:65535 1.1 none stays"},
      {"HTTP/1.0 without Host", "9112, 3.2", with_only_1_0("A: b\r\n"), none,
       "GET / host= 1.0 none closes A=b"},
  };
}

inline std::vector<HeadCase> bad_host_cases() {
  using enum Refusal;
  return {
      // Rejected.
      {"no Host", "9112, 3.2", with_only(""), missing_host},
      {"no Host but others", "9112, 3.2", with_only("A: b\r\nHos: t\r\nHosts: t\r\n"),
       missing_host},
      {"no Host beside an absolute form", "9112, 3.2.2", "GET http://a/ HTTP/1.1\r\n\r\n",
       missing_host},
      {"two Hosts", "9112, 3.2", with_only("Host: a\r\nHost: b\r\n"), doubled_host},
      {"two equal Hosts", "9112, 3.2", with_only("Host: a\r\nHost: a\r\n"), doubled_host},
      {"two Hosts apart", "9112, 3.2", with_only("Host: a\r\nX: y\r\nhost: a\r\n"), doubled_host},
      {"two Hosts, the first one empty", "9112, 3.2", with_only("Host:\r\nHost: a\r\n"),
       doubled_host},
      {"two Hosts in HTTP/1.0", "9112, 3.2", with_only_1_0("Host: a\r\nHost: b\r\n"), doubled_host},
      {"a list of hosts", "9112, 3.2", with_only("Host: a b\r\n"), bad_host},
      {"a blank before the port", "9112, 3.2", with_only("Host: a :80\r\n"), bad_host},
      {"a path in Host", "9112, 3.2", with_only("Host: a/b\r\n"), bad_host},
      {"a query in Host", "9112, 3.2", with_only("Host: a?b\r\n"), bad_host},
      {"a fragment in Host", "9112, 3.2", with_only("Host: a#b\r\n"), bad_host},
      {"a URL in Host", "9112, 3.2", with_only("Host: http://a\r\n"), bad_host},
      {"user information in Host", "9112, 3.2", with_only("Host: u@a\r\n"), bad_host},
      {"a port only", "9110, 7.2", with_only("Host: :80\r\n"), bad_host},
      {"a port that is no number", "3986, 3.2.3", with_only("Host: a:b\r\n"), bad_host},
      {"a signed port", "3986, 3.2.3", with_only("Host: a:+80\r\n"), bad_host},
      {"a port too large", "3986, 3.2.3", with_only("Host: a:65536\r\n"), bad_host},
      {"a port of too many digits", "3986, 3.2.3", with_only("Host: a:000080\r\n"), bad_host},
      {"two ports", "3986, 3.2.3", with_only("Host: a:80:81\r\n"), bad_host},
      {"an IPv6 address without brackets", "3986, 3.2.2", with_only("Host: ::1\r\n"), bad_host},
      {"brackets without end", "3986, 3.2.2", with_only("Host: [::1\r\n"), bad_host},
      {"brackets without begin", "3986, 3.2.2", with_only("Host: ::1]\r\n"), bad_host},
      {"nothing in brackets", "3986, 3.2.2", with_only("Host: []\r\n"), bad_host},
      {"a name in brackets", "3986, 3.2.2", with_only("Host: [name]\r\n"), bad_host},
      {"a zone in brackets", "3986, 3.2.2", with_only("Host: [fe80::1%25eth0]\r\n"), bad_host},
      {"a letter behind brackets", "3986, 3.2.2", with_only("Host: [::1]a\r\n"), bad_host},
      {"a bad escape in Host", "3986, 2.1", with_only("Host: a%2\r\n"), bad_host},
      {"8 bits in Host", "3986, 3.2.2", with_only("Host: \xC3\xA9\r\n"), bad_host},
      {"a backslash in Host", "3986, 3.2.2", with_only("Host: a\\b\r\n"), bad_host},
      {"a quote in Host", "3986, 3.2.2", with_only("Host: \"a\"\r\n"), bad_host},
      {"< in Host", "3986, 3.2.2", with_only("Host: <a>\r\n"), bad_host},
      {"a tab in Host", "9112, 3.2", with_only("Host: a\tb\r\n"), bad_host},
      {"a bad Host in HTTP/1.0", "9112, 3.2", with_only_1_0("Host: a/b\r\n"), bad_host},
      {"a bad Host beside an absolute form", "9112, 3.2.2",
       "GET http://a/ HTTP/1.1\r\nHost: a/b\r\n\r\n", bad_host},
  };
}

inline std::vector<HeadCase> good_connection_cases() {
  using enum Refusal;
  return {
      // Accepted.
      {"close", "9112, 9.6", with_fields("Connection: close\r\n"), none,
       "POST / host=a 1.1 none closes Connection=close"},
      {"close in any case", "9110, 7.6.1", with_fields("connection: ClOsE\r\n"), none,
       "POST / host=a 1.1 none closes connection=ClOsE"},
      {"close in a list", "9110, 7.6.1", with_fields("Connection: a, close ,b\r\n"), none,
       "POST / host=a 1.1 none closes Connection=a, close ,b"},
      {"close in a second line", "9110, 5.3", with_fields("Connection: a\r\nConnection: close\r\n"),
       none, "POST / host=a 1.1 none closes Connection=a Connection=close"},
      {"close wins over keep-alive", "9112, 9.3", with_fields("Connection: keep-alive, close\r\n"),
       none, "POST / host=a 1.1 none closes Connection=keep-alive, close"},
      {"empty elements", "9110, 5.6.1", with_fields("Connection: ,, close,\r\n"), none,
       "POST / host=a 1.1 none closes Connection=,, close,"},
      {"an empty list", "9110, 5.6.1", with_fields("Connection:\r\n"), none,
       "POST / host=a 1.1 none stays Connection="},
      {"a longer word", "9110, 7.6.1", with_fields("Connection: closed\r\n"), none,
       "POST / host=a 1.1 none stays Connection=closed"},
      {"keep-alive in HTTP/1.0", "9112, 9.3", with_only_1_0("Connection: Keep-Alive\r\n"), none,
       "GET / host= 1.0 none stays Connection=Keep-Alive"},
      {"another option in HTTP/1.0", "9112, 9.3", with_only_1_0("Connection: a\r\n"), none,
       "GET / host= 1.0 none closes Connection=a"},
      {"both in HTTP/1.0", "9112, 9.3", with_only_1_0("Connection: close, keep-alive\r\n"), none,
       "GET / host= 1.0 none closes Connection=close, keep-alive"},
      {"an upgrade", "9110, 7.8", with_fields("Connection: Upgrade\r\nUpgrade: b\r\n"), none,
       "POST / host=a 1.1 none stays upgrade Connection=Upgrade Upgrade=b"},
      {"an upgrade to nothing", "9110, 7.8", with_fields("Connection: upgrade\r\nUpgrade:\r\n"),
       none, "POST / host=a 1.1 none stays Connection=upgrade Upgrade="},
      {"an upgrade in HTTP/1.0", "9110, 7.8",
       with_only_1_0("Connection: upgrade\r\nUpgrade: b\r\n"), none,
       "GET / host= 1.0 none closes Connection=upgrade Upgrade=b"},
      {"100-continue", "9110, 10.1.1", with_fields("Expect: 100-Continue\r\nContent-Length: 5\r\n"),
       none, "POST / host=a 1.1 sized:5 stays continue Expect=100-Continue Content-Length=5"},
      {"100-continue without content", "9110, 10.1.1", with_fields("Expect: 100-continue\r\n"),
       none, "POST / host=a 1.1 none stays Expect=100-continue"},
      {"100-continue in HTTP/1.0", "9110, 10.1.1",
       with_only_1_0("Expect: 100-continue\r\nContent-Length: 5\r\n"), none,
       "GET / host= 1.0 sized:5 closes Expect=100-continue Content-Length=5"},
      {"an empty Expect", "9110, 10.1.1", with_fields("Expect:\r\n"), none,
       "POST / host=a 1.1 none stays Expect="},
  };
}

inline std::vector<HeadCase> bad_connection_cases() {
  using enum Refusal;
  return {
      // Rejected.
      {"a parameter", "9110, 7.6.1", with_fields("Connection: close;a\r\n"), bad_connection},
      {"a quoted option", "9110, 7.6.1", with_fields("Connection: \"close\"\r\n"), bad_connection},
      {"two words", "9110, 7.6.1", with_fields("Connection: keep alive\r\n"), bad_connection},
      {"a tab between words", "9110, 7.6.1", with_fields("Connection: a\tclose\r\n"),
       bad_connection},
      {"8 bits in an option", "9110, 7.6.1", with_fields("Connection: clos\xC3\xA9\r\n"),
       bad_connection},
      {"a colon", "9110, 7.6.1", with_fields("Connection: close:\r\n"), bad_connection},
      {"a bad second element", "9110, 7.6.1", with_fields("Connection: close, [a]\r\n"),
       bad_connection},
      {"another expectation", "9110, 10.1.1", with_fields("Expect: 200-ok\r\n"),
       unknown_expectation},
      {"one more expectation", "9110, 10.1.1", with_fields("Expect: 100-continue, a\r\n"),
       unknown_expectation},
      {"an expectation's parameter", "9110, 10.1.1", with_fields("Expect: 100-continue;a=b\r\n"),
       unknown_expectation},
      {"a second bad Expect", "9110, 10.1.1", with_fields("Expect: 100-continue\r\nExpect: b\r\n"),
       unknown_expectation},
      {"half an expectation", "9110, 10.1.1", with_fields("Expect: 100\r\n"), unknown_expectation},
  };
}

}  // namespace eider::h1
