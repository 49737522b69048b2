#include "eider/middleware/address_list.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/app/client_address.h"
#include "eider/app/respond.h"
#include "eider/base/failure.h"
#include "eider/http/cidr.h"
#include "eider/http/ip_address.h"
#include "eider/http/list.h"

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
  [[nodiscard]] bool hold(const std::optional<IpAddress>& address) const noexcept {
    return address && std::ranges::any_of(
                          blocks_, [&](const Cidr& block) { return block.contains(*address); });
  }

 private:
  std::vector<Cidr> blocks_;
};

}  // namespace

ClientHook address_list(AddressList list) {
  const Blocks allowed(list.allow);
  const Blocks denied(list.deny);
  return {[allowed, denied](const ProxyTrust& trust) {
    return Hook{.before =
                    [allowed, denied, &trust](Request& request, Response& response) {
                      const auto address = client_address_of(request, trust);
                      if (!denied.hold(address) && (allowed.is_empty() || allowed.hold(address))) {
                        return true;
                      }
                      render_error(response, Error::forbidden("This address may not ask here."));
                      return false;
                    },
                .name = "address_list"};
  }};
}

}  // namespace eider
