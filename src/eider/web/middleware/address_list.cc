#include "eider/web/middleware/address_list.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "eider/app/handlers/client_address.h"
#include "eider/app/handlers/operation.h"
#include "eider/app/handlers/respond.h"
#include "eider/core/base/failure.h"
#include "eider/protocols/http/cidr.h"
#include "eider/protocols/http/ip_address.h"
#include "eider/protocols/http/list.h"

namespace eider {

namespace {

class Blocks {
 public:
  explicit Blocks(std::string_view text) {
    ListReader list(text);
    while (const auto one = list.next()) {
      auto block = Cidr::parse(*one);
      if (!block) {
        throw Failure(Error::internal("address_list: " + block.error()));
      }
      blocks_.push_back(*block);
    }
  }
  [[nodiscard]] bool is_empty() const noexcept { return blocks_.empty(); }
  [[nodiscard]] bool hold(const IpAddress& address) const noexcept {
    return std::ranges::any_of(blocks_, [&](const Cidr& block) { return block.contains(address); });
  }

 private:
  std::vector<Cidr> blocks_;
};

struct Lists {
  Blocks allowed;
  Blocks denied;

  /// An unknown address could be on the deny list.
  [[nodiscard]] bool admit(const std::optional<IpAddress>& address) const noexcept {
    if (!address) {
      return allowed.is_empty() && denied.is_empty();
    }
    return !denied.hold(*address) && (allowed.is_empty() || allowed.hold(*address));
  }
};

}  // namespace

ClientHook address_list(AddressList list) {
  return {[lists = Lists{Blocks(list.allow), Blocks(list.deny)}](const ProxyTrust& trust) {
    return Hook{.on_request =
                    [lists, &trust](Request& request, Response& response) {
                      if (lists.admit(client_address_of(request, trust))) {
                        return true;
                      }
                      render_error(response,
                                   Error::forbidden("Access from this IP address is not allowed."));
                      return false;
                    },
                .name = "address_list",
                .describe =
                    [](Operation& operation) {
                      operation.add_problem(403, "Access from this IP address is not allowed.");
                    }};
  }};
}

}  // namespace eider
