// Connects to a route over TCP: looks its name up, and races its addresses.
// Must not keep connections.
#pragma once

#include <memory>
#include <vector>

#include "eider/client/detail/dialler.h"
#include "eider/client/detail/dns.h"
#include "eider/runtime/address.h"

namespace eider::detail {

class TcpDialler final : public Dialler {
 public:
  explicit TcpDialler(DnsOptions options = {}) : options_(std::move(options)) {}

  [[nodiscard]] Task<Result<Descriptor, ClientError>> dial(const Route& route,
                                                           Instant due) override;

 private:
  using Found = Result<std::vector<std::string>, DnsFault>;

  /// Whether one family's answer is enough when the other does not come soon.
  enum class Patience : std::uint8_t { brief, full };

  [[nodiscard]] Task<Result<Descriptor, NetError>> race_late_ones(const Route& route, Instant due,
                                                                  std::vector<Address> tried,
                                                                  NetError error);
  [[nodiscard]] Task<Result<std::vector<Address>, ClientError>> addresses_of(const Route& route,
                                                                             Instant due,
                                                                             Patience patience);
  [[nodiscard]] Task<Found> look_up(std::string name, Patience patience);
  [[nodiscard]] Dns& dns();

  DnsOptions options_;
  std::unique_ptr<Dns> dns_;  // made for the first name, on its loop
};

}  // namespace eider::detail
