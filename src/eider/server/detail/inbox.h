// A request's content on its way to a handler that reads it as it comes.
// Must not gather more than the connection lets it: that pauses while the handler is busy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "eider/base/buffer.h"
#include "eider/base/result.h"
#include "eider/http/head.h"
#include "eider/server/body_stream.h"
#include "eider/server/detail/body.h"
#include "eider/server/detail/exchange_owner.h"

namespace eider::detail {

class Inbox final : public BodyInbox {
 public:
  /// body   decodes; what it holds is what has not been taken
  explicit Inbox(BodyH1& body) noexcept : body_(body) {}

  void begin(const RequestHead& head, std::size_t bytes_max, ExchangeOwner& owner);
  /// Reads on: see BodyH1::read. What follows the content is left alone.
  [[nodiscard]] std::size_t read(std::string_view in);
  /// Takes content that another framing has been taken off already, and its end.
  void put(std::string_view content);
  void end();
  /// The content will not be completed; `take` says so when it has given what there was.
  void fail(h1::Refusal refusal);

  [[nodiscard]] bool is_wanted() const noexcept { return is_wanted_; }
  /// Nothing more is expected from the client.
  [[nodiscard]] bool is_over() const noexcept { return is_over_; }
  /// All of the content has come.
  [[nodiscard]] bool is_whole() const noexcept { return is_over_ && !error_; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return body_.bytes(); }
  [[nodiscard]] std::size_t waiting_bytes() const noexcept { return body_.view().size(); }

  void reset() noexcept;

  void want() noexcept override;
  [[nodiscard]] bool has_news() const noexcept override { return is_over_ || waiting_bytes() != 0; }
  [[nodiscard]] std::string_view take() override;
  [[nodiscard]] Event& arrival() noexcept override { return arrival_; }
  [[nodiscard]] std::optional<std::uint64_t> length() const noexcept override { return length_; }

 private:
  BodyH1& body_;
  ExchangeOwner* owner_ = nullptr;
  Buffer given_;
  Event arrival_;
  std::optional<std::uint64_t> length_;
  std::optional<Error> error_;
  bool is_over_ = true;
  bool is_wanted_ = false;
};

}  // namespace eider::detail
