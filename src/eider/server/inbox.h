// A request body that a handler reads as it arrives.
// Layering: must not limit how much the client sends: its owner does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "eider/core/base/buffer.h"
#include "eider/core/base/result.h"
#include "eider/io/runtime/read_blocks.h"
#include "eider/protocols/http/head.h"
#include "eider/protocols/http/refusal.h"
#include "eider/server/body.h"
#include "eider/server/body_stream.h"

namespace eider::detail::server {

class InboxOwner {
 public:
  /// Called when the handler waits for the body for the first time.
  virtual void on_content_wanted() = 0;
  /// Called when the handler has taken the bytes that have arrived.
  virtual void on_content_taken() = 0;

 protected:
  ~InboxOwner() = default;
};

class Inbox final : public BodyInbox {
 public:
  /// body  contains the bytes that were not taken
  Inbox(Body& body, InboxOwner& owner) noexcept : body_(body), owner_(owner) {}

  void begin(const RequestHead& head);
  /// Called with bytes of the body, and at its end.
  void put(std::string_view content);
  void end(std::string_view trailer_lines);
  /// Called if the body cannot be completed; `take` throws after the bytes that arrived before.
  void fail(const RequestRefusal& refusal);

  /// Returns whether the body is collected until it is complete.
  [[nodiscard]] bool is_gathering() const noexcept { return is_gathering_ && !is_over_; }
  /// Called when no more bytes will come: a handler that waits for them gets an error.
  void abandon() noexcept;
  [[nodiscard]] bool is_wanted() const noexcept { return is_wanted_; }
  /// Returns whether nothing more is expected from the client.
  [[nodiscard]] bool is_over() const noexcept { return is_over_; }
  /// Returns the number of copied bytes that were not taken; lent bytes are in the loop's memory.
  [[nodiscard]] std::size_t waiting_bytes() const noexcept { return body_.view().size(); }

  void reset() noexcept;

  void want() noexcept override;
  [[nodiscard]] bool has_news() const noexcept override {
    return is_over_ || ((has_lent_ || waiting_bytes() != 0) && !is_gathering_);
  }
  [[nodiscard]] std::string_view take() override;
  void gather() noexcept override;
  [[nodiscard]] std::string_view gathered() override;
  [[nodiscard]] AsyncEvent& arrival() noexcept override { return arrival_; }
  [[nodiscard]] std::optional<std::uint64_t> length() const noexcept override { return length_; }
  [[nodiscard]] std::string_view trailer_lines() const noexcept override { return trailers_; }

 private:
  /// Lends the bytes without a copy, if the handler waits for them.
  [[nodiscard]] bool borrow(std::string_view content);

  Body& body_;
  InboxOwner& owner_;
  Buffer given_;
  ReadLoan loan_;  // of the next part, or of the part that the handler uses
  AsyncEvent arrival_;
  std::optional<std::uint64_t> length_;
  std::optional<Error> error_;
  std::string trailers_;
  bool has_lent_ = false;  // the lent part was not taken yet
  bool is_over_ = true;
  bool is_wanted_ = false;
  bool is_gathering_ = false;
};

}  // namespace eider::detail::server
