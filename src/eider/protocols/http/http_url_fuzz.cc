// URLs and references: accepted ones can be sent in a request line, and read the same again.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "eider/core/base/assert.h"
#include "eider/protocols/http/http_url.h"

namespace {

using namespace eider;
using namespace eider::detail::http;

bool is_plain(char byte) {
  return byte > ' ' && byte < '\x7F';
}

void check(const HttpUrl& url) {
  ensure(url.port != 0 && !url.host.empty(), "there is somebody to connect to");
  ensure(url.target.starts_with('/'), "the target is a path");
  ensure(std::ranges::all_of(url.target, is_plain) && std::ranges::all_of(url.authority, is_plain),
         "no byte of it ends a line or a word");
  ensure(!url.target.contains('#'), "a fragment is not sent");
  const auto again = read_http_url(url.to_text());
  if (url.to_text().size() <= kUrlBytesMax) {
    ensure(again && again->to_text() == url.to_text() && again->host == url.host &&
               again->port == url.port && again->is_secure == url.is_secure,
           "it reads the same again");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view in(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(in.find('\n'), in.size());
  const auto base = read_http_url(in.substr(0, end));
  if (base) {
    check(*base);
    const auto to = resolve_reference(*base, in.substr(std::min(end + 1, in.size())));
    if (to) {
      check(*to);
    }
  }
  return 0;
}
