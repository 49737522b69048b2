#include "eider/protocols/http/h2/priority.h"

#include "eider/core/base/text.h"
#include "eider/protocols/http/list.h"

namespace eider::h2 {

void read_priority(std::string_view value, Priority& into) noexcept {
  ListReader members(value);
  // A value has case, parameters of a member are not for us (RFC 8941).
  while (const auto member = members.next()) {
    const std::string_view said = trim(member->substr(0, member->find(';')));
    if (said.size() == 3 && said.starts_with("u=") && said[2] >= '0' && said[2] <= '7') {
      into.urgency = static_cast<std::uint32_t>(said[2] - '0');
    } else if (said == "i" || said == "i=?1") {
      into.is_incremental = true;
    } else if (said == "i=?0") {
      into.is_incremental = false;
    }
  }
}

}  // namespace eider::h2
