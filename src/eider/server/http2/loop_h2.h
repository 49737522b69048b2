// The HTTP/2 state that the connections of one event loop share.
// Layering: must not be shared between loops.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "eider/protocols/http/h2/out_field.h"
#include "eider/protocols/http/h2/session.h"
#include "eider/server/connection_protocol.h"
#include "eider/server/context.h"
#include "eider/server/http2/http2_options.h"

namespace eider::detail::http2 {

class StreamH2;

class LoopH2 final : public ProtocolFactory {
 public:
  LoopH2(server::LoopContext& its_context, const Http2Options& its_options);
  ~LoopH2() override;

  [[nodiscard]] std::string_view preface() const noexcept override { return h2::kPreface; }
  [[nodiscard]] std::string_view alpn_name() const noexcept override { return h2::kAlpnName; }
  [[nodiscard]] UpgradedPtr take_over(UpgradedLine& line) override;

  /// Returns the options for a new connection. They are announced to the client, so they do not
  /// change.
  [[nodiscard]] h2::SessionOptions session_options() const noexcept;
  /// Returns the interval at which busy connections are checked.
  [[nodiscard]] Duration tick() const noexcept;

  [[nodiscard]] std::unique_ptr<StreamH2> take_stream();
  void give_back(std::unique_ptr<StreamH2> stream) noexcept;

  server::LoopContext& context;
  const Http2Options options;
  /// Memory for the headers of the response that is being made.
  std::vector<h2::OutField> fields;

 private:
  std::vector<std::unique_ptr<StreamH2>> spare_;
};

}  // namespace eider::detail::http2
