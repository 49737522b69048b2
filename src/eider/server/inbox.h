// A request body on its way to a handler that reads it as it arrives.
// Layering: must not gather more than the client is let send: that is its owner's matter.
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
  /// The handler waits for the content for the first time.
  virtual void on_content_wanted() = 0;
  /// The handler has taken what had come of it.
  virtual void on_content_taken() = 0;

 protected:
  ~InboxOwner() = default;
};

class Inbox final : public BodyInbox {
 public:
  /// body  holds what has not been taken
  Inbox(Body& body, InboxOwner& owner) noexcept : body_(body), owner_(owner) {}

  void begin(const RequestHead& head);
  /// Takes content, and its end.
  void put(std::string_view content);
  void end(std::string_view trailer_lines);
  /// The content will not be completed; `take` says so when it has given what there was.
  void fail(const RequestRefusal& refusal);

  /// What comes is kept until all is there.
  [[nodiscard]] bool is_gathering() const noexcept { return is_gathering_ && !is_over_; }
  /// Nobody brings any more of it: a handler that waits for it learns that it failed.
  void abandon() noexcept;
  [[nodiscard]] bool is_wanted() const noexcept { return is_wanted_; }
  /// Nothing more is expected from the client.
  [[nodiscard]] bool is_over() const noexcept { return is_over_; }
  /// What was copied and not taken; lent bytes wait in the memory of the loop.
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
  /// Takes content without a copy, if the handler waits for it.
  [[nodiscard]] bool borrow(std::string_view content);

  Body& body_;
  InboxOwner& owner_;
  Buffer given_;
  ReadLoan loan_;  // of the part that comes next, or that the handler has
  AsyncEvent arrival_;
  std::optional<std::uint64_t> length_;
  std::optional<Error> error_;
  std::string trailers_;
  bool has_lent_ = false;  // the loan is not taken yet
  bool is_over_ = true;
  bool is_wanted_ = false;
  bool is_gathering_ = false;
};

}  // namespace eider::detail::server
