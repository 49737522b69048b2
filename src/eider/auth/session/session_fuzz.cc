// Fuzzes session cookies and paths after a login: unsigned cookies must be rejected, signed ones
// must round-trip, data of another struct is read as far as it fits, and paths never lead to
// another host.
#include <cstdint>
#include <string>
#include <string_view>

#include "eider/auth/session/session_entry.h"
#include "eider/auth/session/signed_cookie.h"
#include "eider/auth/session/users.h"
#include "eider/core/base/assert.h"
#include "eider/core/base/utf8.h"

namespace {

struct FuzzedVisit {
  std::vector<int> cart = {};
  std::optional<std::string> name = {};
  bool is_new = true;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace eider;
  using namespace eider::detail::session;
  const std::string text(reinterpret_cast<const char*>(data), size);
  static const SignedCookie cookies("session", {std::string(32, 'k'), std::string(32, 'o')});
  ensure(!cookies.open(text).has_value(), "nobody guesses a signature");

  const SessionRecord record = {.user = "u", .data = is_utf8(text) ? text : "", .flashes = {}};
  const std::string sealed = cookies.seal("uA", record);
  if (sealed.size() <= 4096) {
    const auto opened = cookies.open(sealed);
    ensure(opened && opened->id == "uA" && opened->record.data == record.data,
           "what is signed comes back");
    ensure(!cookies.open(sealed + text.substr(0, 1)) || text.empty(), "and nothing longer does");
  }

  FuzzedVisit visit;
  read_data(kDataType<FuzzedVisit>, &visit, text);
  const std::string written = json::to_text(visit);
  ensure(json::read<FuzzedVisit>(written).has_value(), "what was read can be kept");
  ensure(
      json::read<json::Value>(merge_data(initial_text<FuzzedVisit>(), written, text)).has_value(),
      "what is merged is JSON");

  const std::string path = safe_redirect_path(text);
  ensure(path.starts_with('/') && !path.starts_with("//") && !path.contains('\\') &&
             path.find_first_of("\r\n\t ") == std::string::npos,
         "a path is one of this host");
  return 0;
}
