// Cases of request lines and request targets (RFC 9112, sections 2 and 3).
// Layering: must not be used except by tests of request heads.
#pragma once

#include "tests/conformance/h1_head_cases.h"

namespace eider::h1 {

inline std::vector<HeadCase> good_line_cases() {
  using enum Refusal;
  constexpr std::string_view kPlain = "GET / host=a 1.1 none stays";
  return {
      // Accepted.
      {"a plain request", "9112, 3", with_line("GET / HTTP/1.1"), none, kPlain},
      {"HEAD", "9110, 9.3.2", with_line("HEAD / HTTP/1.1"), none, "HEAD / host=a 1.1 none stays"},
      {"POST", "9110, 9.3.3", with_line("POST / HTTP/1.1"), none, "POST / host=a 1.1 none stays"},
      {"PUT", "9110, 9.3.4", with_line("PUT / HTTP/1.1"), none, "PUT / host=a 1.1 none stays"},
      {"DELETE", "9110, 9.3.5", with_line("DELETE / HTTP/1.1"), none,
       "DELETE / host=a 1.1 none stays"},
      {"OPTIONS", "9110, 9.3.7", with_line("OPTIONS / HTTP/1.1"), none,
       "OPTIONS / host=a 1.1 none stays"},
      {"TRACE", "9110, 9.3.8", with_line("TRACE / HTTP/1.1"), none,
       "TRACE / host=a 1.1 none stays"},
      {"PATCH", "5789, 2", with_line("PATCH / HTTP/1.1"), none, "PATCH / host=a 1.1 none stays"},
      {"HTTP/1.0", "9112, 2.3", with_line("GET / HTTP/1.0"), none, "GET / host=a 1.0 none closes"},
      {"a later minor version", "9110, 2.5", with_line("GET / HTTP/1.2"), none, kPlain},
      {"the last minor version", "9110, 2.5", with_line("GET / HTTP/1.9"), none, kPlain},
      {"one empty line first", "9112, 2.2", "\r\n" + with_line("GET / HTTP/1.1"), none, kPlain},
      {"four empty lines first", "9112, 2.2", "\r\n\r\n\r\n\r\n" + with_line("GET / HTTP/1.1"),
       none, kPlain},
  };
}

inline std::vector<HeadCase> bad_method_cases() {
  using enum Refusal;
  using namespace std::string_view_literals;
  return {
      // Before the request line.
      {"five empty lines first", "9112, 2.2", "\r\n\r\n\r\n\r\n\r\n" + with_line("GET / HTTP/1.1"),
       bad_leading_line},
      {"a bare LF first", "9112, 2.2", "\n" + with_line("GET / HTTP/1.1"), bare_lf},
      {"a bare CR first", "9112, 2.2", "\r" + with_line("GET / HTTP/1.1"), bare_cr},
      {"two CR first", "9112, 2.2", "\r\r\n" + with_line("GET / HTTP/1.1"), bare_cr},
      {"a space first", "9112, 3", " " + with_line("GET / HTTP/1.1"), bad_method},
      {"a tab first", "9112, 3", "\t" + with_line("GET / HTTP/1.1"), bad_method},
      {"NUL first", "9112, 3", std::string(1, '\0') + with_line("GET / HTTP/1.1"), bad_method},
      {"a byte order mark first", "9112, 3", "\xEF\xBB\xBF" + with_line("GET / HTTP/1.1"),
       bad_method},
      // The method.
      {"a method without its target", "9112, 3", "GET\r\n\r\n", bad_method},
      {"a method behind a tab", "9112, 3", with_line("GET\t/ HTTP/1.1"), bad_method},
      {"a colon in the method", "9110, 9.1", with_line("GE:T / HTTP/1.1"), bad_method},
      {"a slash in the method", "9110, 9.1", with_line("G/ET / HTTP/1.1"), bad_method},
      {"8 bits in the method", "9110, 9.1", with_line("G\xC9T / HTTP/1.1"), bad_method},
      {"a control byte in the method", "9110, 9.1", with_line("G\x01T / HTTP/1.1"), bad_method},
      {"NUL in the method", "9110, 9.1", with_line("G\0T / HTTP/1.1"sv), bad_method},
      {"DEL in the method", "9110, 9.1", with_line("GET\x7F / HTTP/1.1"), bad_method},
      {"a quoted method", "9110, 9.1", with_line("\"GET\" / HTTP/1.1"), bad_method},
      {"a TLS greeting", "9112, 3", std::string("\x16\x03\x01\x02") + std::string(20, '\x01'),
       bad_method},
      {"a lower-case method", "9110, 9.1", with_line("get / HTTP/1.1"), unknown_method},
      {"a mixed-case method", "9110, 9.1", with_line("Get / HTTP/1.1"), unknown_method},
      {"an unknown method", "9110, 9.1", with_line("BREW / HTTP/1.1"), unknown_method},
      {"a method of seven letters", "9110, 9.1", with_line("REBOOTS / HTTP/1.1"), unknown_method},
      {"a method too long", "9112, 3", with_line("PROPFIND / HTTP/1.1"), unknown_method},
      {"a method and more letters", "9110, 9.1", with_line("GETS / HTTP/1.1"), unknown_method},
      {"a method with a mark", "9110, 9.1", with_line("GET! / HTTP/1.1"), unknown_method},
      {"a method of one letter", "9110, 9.1", with_line("G / HTTP/1.1"), unknown_method},
      {"the HTTP/2 preface", "9113, 3.4", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", unknown_method},
  };
}

inline std::vector<HeadCase> bad_version_cases() {
  using enum Refusal;
  using namespace std::string_view_literals;
  return {
      // The version.
      {"no version", "9112, 3", with_line("GET /"), bad_target},
      {"HTTP/0.9's line with a space", "9112, 3", with_line("GET / "), bad_version},
      {"a lower-case version", "9112, 2.3", with_line("GET / http/1.1"), bad_version},
      {"a version of one letter less", "9112, 2.3", with_line("GET / HTP/1.1"), bad_version},
      {"a version without slash", "9112, 2.3", with_line("GET / HTTP1.1"), bad_version},
      {"a version without minor", "9112, 2.3", with_line("GET / HTTP/1"), bad_version},
      {"a version with a dot only", "9112, 2.3", with_line("GET / HTTP/1."), bad_version},
      {"a version without major", "9112, 2.3", with_line("GET / HTTP/.1"), bad_version},
      {"a comma in the version", "9112, 2.3", with_line("GET / HTTP/1,1"), bad_version},
      {"two digits of minor", "9112, 2.3", with_line("GET / HTTP/1.10"), bad_version},
      {"two digits of major", "9112, 2.3", with_line("GET / HTTP/11.1"), bad_version},
      {"a leading zero", "9112, 2.3", with_line("GET / HTTP/01.1"), bad_version},
      {"a signed version", "9112, 2.3", with_line("GET / HTTP/+1.1"), bad_version},
      {"a hexadecimal version", "9112, 2.3", with_line("GET / HTTP/1.A"), bad_version},
      {"a letter behind the version", "9112, 2.3", with_line("GET / HTTP/1.1x"), bad_version},
      {"a space behind the version", "9112, 3", with_line("GET / HTTP/1.1 "), bad_version},
      {"a tab behind the version", "9112, 3", with_line("GET / HTTP/1.1\t"), bad_version},
      {"NUL behind the version", "9112, 3", with_line("GET / HTTP/1.1\0"sv), bad_version},
      {"two spaces before the version", "9112, 3", with_line("GET /  HTTP/1.1"), bad_version},
      {"a tab before the version", "9112, 3", with_line("GET / \tHTTP/1.1"), bad_version},
      {"a space in the target", "9112, 3.2", with_line("GET /a b HTTP/1.1"), bad_version},
      {"another protocol", "9112, 2.3", with_line("GET / RTSP/1.0"), bad_version},
      {"HTTP/2.0", "9110, 2.5", with_line("GET / HTTP/2.0"), unsupported_version},
      {"HTTP/3.0", "9110, 2.5", with_line("GET / HTTP/3.0"), unsupported_version},
      {"HTTP/0.9", "9110, 2.5", with_line("GET / HTTP/0.9"), unsupported_version},
      {"HTTP/9.9", "9110, 2.5", with_line("GET / HTTP/9.9"), unsupported_version},
      // The end of the line.
      {"a request line ending in LF", "9112, 2.2", "GET / HTTP/1.1\nHost: a\r\n\r\n", bare_lf},
      {"a whole head in LF", "9112, 2.2", "GET / HTTP/1.1\nHost: a\n\n", bare_lf},
      {"a request line ending in CR", "9112, 2.2", "GET / HTTP/1.1\rHost: a\r\n\r\n", bare_cr},
      {"two CR at the request line", "9112, 2.2", "GET / HTTP/1.1\r\r\nHost: a\r\n\r\n", bare_cr},
      {"an LF before the CR LF", "9112, 2.2", "GET / HTTP/1.1\n\r\nHost: a\r\n\r\n", bare_lf},
  };
}

inline std::vector<HeadCase> good_target_cases() {
  using enum Refusal;
  return {
      // Accepted.
      {"a path", "9112, 3.2.1", with_target("/a/b"), none, "GET /a/b host=a 1.1 none stays"},
      {"a query", "9112, 3.2.1", with_target("/a?b=c&d"), none,
       "GET /a?b=c&d host=a 1.1 none stays"},
      {"an empty query", "9112, 3.2.1", with_target("/a?"), none, "GET /a host=a 1.1 none stays"},
      {"a query with a question mark", "3986, 3.4", with_target("/a?b?c"), none,
       "GET /a?b?c host=a 1.1 none stays"},
      {"two slashes", "3986, 3.3", with_target("//a"), none, "GET //a host=a 1.1 none stays"},
      {"dots", "3986, 3.3", with_target("/../a/./b"), none, "GET /../a/./b host=a 1.1 none stays"},
      {"escapes", "3986, 2.1", with_target("/%41%2f%00"), none,
       "GET /%41%2f%00 host=a 1.1 none stays"},
      {"% alone, for the router", "3986, 2.1", with_target("/%"), none,
       "GET /% host=a 1.1 none stays"},
      {"% and one digit, likewise", "3986, 2.1", with_target("/%4"), none,
       "GET /%4 host=a 1.1 none stays"},
      {"% and no digits, likewise", "3986, 2.1", with_target("/%zz"), none,
       "GET /%zz host=a 1.1 none stays"},
      {"% before a query, likewise", "3986, 2.1", with_target("/%?a"), none,
       "GET /%?a host=a 1.1 none stays"},
      {"every mark that a path may hold", "3986, 3.3", with_target("/-._~!$&'()*+,;=:@"), none,
       "GET /-._~!$&'()*+,;=:@ host=a 1.1 none stays"},
      {"marks that browsers leave", "3986, A", with_target("/[{|}]^`?[{|}]^`\\%"), none,
       "GET /[{|}]^`?[{|}]^`\\% host=a 1.1 none stays"},
      {"a path over many blocks", "9112, 3.2.1",
       with_target("/abcdefghijklmnopqrstuvwxyz/0123456789/abcdefghijklmnopqrstuvwxyz"), none,
       "GET /abcdefghijklmnopqrstuvwxyz/0123456789/abcdefghijklmnopqrstuvwxyz host=a 1.1 none "
       "stays"},
      {"an absolute form", "9112, 3.2.2", with_target("http://b/c?d"), none,
       "GET /c?d host=b 1.1 none stays"},
      {"an absolute form with a port", "9112, 3.2.2", with_target("http://b:81/c"), none,
       "GET /c host=b:81 1.1 none stays"},
      {"an absolute form without path", "9112, 3.2.2", with_target("http://b"), none,
       "GET / host=b 1.1 none stays"},
      {"an absolute form with a query only", "9112, 3.2.2", with_target("http://b?c"), none,
       "GET /?c host=b 1.1 none stays"},
      {"https", "9112, 3.2.2", with_target("HTTPS://b/"), none, "GET / host=b 1.1 none stays"},
      {"an absolute form with an address", "9112, 3.2.2", with_target("http://[::1]:80/"), none,
       "GET / host=[::1]:80 1.1 none stays"},
      {"OPTIONS *", "9112, 3.2.4", with_line("OPTIONS * HTTP/1.1"), none,
       "OPTIONS * host=a 1.1 none stays"},
      {"OPTIONS of a host", "9112, 3.2.4", with_line("OPTIONS http://b HTTP/1.1"), none,
       "OPTIONS * host=b 1.1 none stays"},
      {"OPTIONS of a host's root", "9112, 3.2.4", with_line("OPTIONS http://b/ HTTP/1.1"), none,
       "OPTIONS / host=b 1.1 none stays"},
      {"CONNECT", "9112, 3.2.3", with_line("CONNECT b:443 HTTP/1.1"), none,
       "CONNECT  host=b:443 1.1 none stays"},
      {"CONNECT to an address", "9112, 3.2.3", with_line("CONNECT [::1]:443 HTTP/1.1"), none,
       "CONNECT  host=[::1]:443 1.1 none stays"},
  };
}

inline std::vector<HeadCase> bad_target_cases() {
  using enum Refusal;
  using namespace std::string_view_literals;
  return {
      // Rejected.
      {"an empty target", "9112, 3.2", with_line("GET  HTTP/1.1"), bad_target},
      {"a tab for a target", "9112, 3.2", with_target("\t"), bad_target},
      {"a tab in a target", "9112, 3.2", with_target("/\t"), bad_target},
      {"NUL in a target", "9112, 3.2", with_target("/\0"sv), bad_target},
      {"a control byte in a path", "9112, 3.2", with_target("/\x1F"), bad_target},
      {"DEL in a path", "9112, 3.2", with_target("/\x7F"), bad_target},
      {"8 bits in a path", "9112, 3.2", with_target("/\xC3\xA9"), bad_target},
      {"the highest byte in a path", "9112, 3.2", with_target("/\xFF"), bad_target},
      {"a quote in a path", "3986, A", with_target("/\"a\""), bad_target},
      {"< in a path", "3986, A", with_target("/<"), bad_target},
      {"> in a path", "3986, A", with_target("/>"), bad_target},
      {"a backslash in a path", "3986, A", with_target("/a\\..\\b"), bad_target},
      {"a fragment", "9112, 3.2", with_target("/a#b"), bad_target},
      {"a fragment behind a query", "9112, 3.2", with_target("/a?b#c"), bad_target},
      {"NUL in a query", "9112, 3.2", with_target("/?\0"sv), bad_target},
      {"a tab in a query", "9112, 3.2", with_target("/?\t"), bad_target},
      {"8 bits in a query", "9112, 3.2", with_target("/?\xE9"), bad_target},
      {"DEL in a query", "9112, 3.2", with_target("/?\x7F"), bad_target},
      {"a quote in a query", "3986, A", with_target("/?\""), bad_target},
      {"a control byte far into a query", "9112, 3.2",
       with_target("/?0123456789012345678901234567890123456789\x01"), bad_target},
      {"a bare CR in a target", "9112, 2.2", with_target("/\ra"), bad_target},
      {"an LF in a target", "9112, 2.2", with_target("/\na"), bad_target},
  };
}

inline std::vector<HeadCase> bad_form_cases() {
  using enum Refusal;
  return {
      {"no slash first", "9112, 3.2", with_target("a/b"), bad_target},
      {"a query first", "9112, 3.2", with_target("?a"), bad_target},
      {"a host as target", "9112, 3.2.3", with_target("a:80"), bad_target},
      {"another scheme", "9112, 3.2.2", with_target("ftp://b/"), bad_target},
      {"a scheme without slashes", "9112, 3.2.2", with_target("http:b"), bad_target},
      {"a scheme with one slash", "9112, 3.2.2", with_target("http:/b"), bad_target},
      {"a scheme and nothing", "9110, 4.2.1", with_target("http://"), bad_target},
      {"an absolute form without host", "9110, 4.2.1", with_target("http:///a"), bad_target},
      {"an absolute form with a port only", "9110, 4.2.1", with_target("http://:80/"), bad_target},
      {"user information", "9110, 4.2.4", with_target("http://u@b/"), bad_target},
      {"user information with a password", "9110, 4.2.4", with_target("http://u:p@b/"), bad_target},
      {"a port that is no number", "3986, 3.2.3", with_target("http://b:8o/"), bad_target},
      {"a port too large", "3986, 3.2.3", with_target("http://b:65536/"), bad_target},
      {"a backslash in an absolute form", "3986, A", with_target("http://b\\c/"), bad_target},
      {"an address without end", "3986, 3.2.2", with_target("http://[::1/"), bad_target},
      {"GET *", "9112, 3.2.4", with_target("*"), bad_target},
      {"OPTIONS **", "9112, 3.2.4", with_line("OPTIONS ** HTTP/1.1"), bad_target},
      {"CONNECT with a path", "9112, 3.2.3", with_line("CONNECT / HTTP/1.1"), bad_target},
      {"CONNECT without port", "9112, 3.2.3", with_line("CONNECT b HTTP/1.1"), bad_target},
      {"CONNECT with an empty port", "9112, 3.2.3", with_line("CONNECT b: HTTP/1.1"), bad_target},
      {"CONNECT to an address without port", "9112, 3.2.3", with_line("CONNECT [::1] HTTP/1.1"),
       bad_target},
      {"CONNECT to no host", "9112, 3.2.3", with_line("CONNECT :443 HTTP/1.1"), bad_target},
      {"CONNECT with an absolute form", "9112, 3.2.3", with_line("CONNECT http://b/ HTTP/1.1"),
       bad_target},
      {"CONNECT *", "9112, 3.2.3", with_line("CONNECT * HTTP/1.1"), bad_target},
  };
}

}  // namespace eider::h1
