// Fuzzes handshake responses: the result must not depend on how bytes are cut, nor on later bytes.
#include <cstdint>
#include <string_view>

#include "eider/client/ws/ws_opening.h"
#include "eider/core/base/assert.h"
#include "eider/protocols/http/grammar.h"

namespace {

using namespace eider;
using namespace eider::detail::client;

bool is_within(std::string_view part, std::string_view whole) {
  return part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size();
}

void check_head(const ResponseHead& head, std::string_view in) {
  ensure(head.bytes <= kResponseHeadBytesMax && in.substr(0, head.bytes).ends_with("\r\n"),
         "it ends with an empty line, within its bounds");
  ensure(head.status >= 100 && head.status <= 999 && head.fields.size() <= kResponseFieldsMax,
         "the status and the number of fields have bounds");
  for (const Field& field : head.fields) {
    ensure(is_within(field.name, in.substr(0, head.bytes)), "a name is within the head");
    ensure(is_token(field.name) && is_field_value(field.value), "a field is as HTTP has it");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  const std::string_view in(reinterpret_cast<const char*>(data), bytes);
  const auto whole = read_response_head(in);
  if (whole) {
    check_head(*whole, in);
  }
  for (std::size_t cut = 0; cut < in.size(); ++cut) {
    const auto part = read_response_head(in.substr(0, cut));
    if (part) {
      ensure(whole && whole->bytes == part->bytes && cut >= part->bytes, "what follows is told");
    } else if (part.error() != ResponseHeadFault::need_more) {
      ensure(!whole && whole.error() == part.error(), "what is wrong stays wrong");
    }
  }
  return 0;
}
