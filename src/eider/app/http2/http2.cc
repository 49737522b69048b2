#include "eider/app/http2/http2.h"

#include <memory>

#include "eider/app/app.h"
#include "eider/server/connection_protocol.h"
#include "eider/server/http2/loop_h2.h"

namespace eider {

namespace {

class Http2 final : public ConnectionProtocol {
 public:
  explicit Http2(Http2Options options) noexcept : options_(options) {}

  [[nodiscard]] std::string_view alpn() const noexcept override { return h2::kAlpnName; }
  [[nodiscard]] std::unique_ptr<ProtocolFactory> on_loop(
      detail::server::LoopContext& context) const override {
    return std::make_unique<detail::http2::LoopH2>(context, options_);
  }

 private:
  Http2Options options_;
};

}  // namespace

void add_http2(App& app, Http2Options options) {
  app.add_protocol(std::make_shared<Http2>(options));
}

}  // namespace eider
