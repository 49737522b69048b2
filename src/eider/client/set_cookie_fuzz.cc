// Fuzzes Set-Cookie headers: the jar must respect its limits and send no cookie to a wrong host.
#include <cstdint>
#include <string>
#include <string_view>

#include "eider/client/cookie_jar.h"
#include "eider/core/base/assert.h"
#include "eider/protocols/http/grammar.h"

namespace {

using namespace eider;

constexpr std::int64_t kNow = 1'700'000'000;
// Small, so that the fuzzer reaches the limits.
constexpr std::size_t kPerDomainMax = 3;
constexpr std::size_t kCookiesMax = 5;
constexpr std::size_t kCookieBytesMax = 60;
constexpr std::size_t kFieldBytesMax = 100;

void check_field(const std::string& field) {
  ensure(field.size() <= kFieldBytesMax, "the field has a bound");
  ensure(is_field_value(field), "it can be sent");
}

/// Stores each line as one header, alternating between four sites.
void store_lines(CookieJar& jar, std::string_view in) {
  constexpr CookieSite kSites[] = {{"www.example.com", "/a/b", false},
                                   {"www.example.com", "/", true},
                                   {"127.0.0.1", "/x", false},
                                   {"example.com", "/a/", true}};
  for (std::size_t line = 0; !in.empty(); ++line) {
    const std::size_t end = in.find('\n');
    const CookieSite& from = kSites[line % 4];
    jar.store(from, in.substr(0, end), kNow);
    ensure(jar.size() <= kCookiesMax, "the jar has a bound");
    check_field(jar.header_for(from, kNow));
    in.remove_prefix(end == std::string_view::npos ? in.size() : end + 1);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view in(reinterpret_cast<const char*>(data), size);
  CookieJar jar({.per_domain_max = kPerDomainMax,
                 .cookies_max = kCookiesMax,
                 .cookie_bytes_max = kCookieBytesMax,
                 .header_bytes_max = kFieldBytesMax});
  store_lines(jar, in);
  ensure(jar.header_for({"other.org", "/", true}, kNow).empty(), "nothing goes to strangers");
  ensure(jar.header_for({"com", "/", true}, kNow).empty(), "nothing goes to a suffix");
  jar.clear();
  ensure(jar.header_for({"www.example.com", "/a/b", true}, kNow).empty(), "it forgets");
  static_cast<void>(parse_cookie_date(in));
  return 0;
}
