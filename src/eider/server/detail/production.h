// One response whose content is made while it is sent: the writer that its producer is given.
// Must not know the connection's states: its owner is told and asked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>

#include "eider/http/h1/writer.h"
#include "eider/runtime/deferred.h"
#include "eider/runtime/loop.h"
#include "eider/server/content.h"
#include "eider/server/detail/exchange_owner.h"

namespace eider::detail {

class Production final : public BodyWriter, private TaskOwner, private Deferred {
 public:
  /// owner  its output goes to nobody else until on_produced
  /// head   of the response
  Production(ContentOwner& owner, Loop& loop, Response& head,
             std::unique_ptr<ProducedContent> content)
      : owner_(owner), loop_(loop), head_(head), content_(std::move(content)) {}

  /// Runs the producer until it waits, and tells the owner of its end.
  void start();
  /// The client's side takes more.
  void go_on() noexcept;
  /// Ends the content here, as if the producer had returned.
  void stop();

  [[nodiscard]] const ProducedContent& content() const noexcept { return *content_; }
  /// Null unless the producer threw, or wrote less than it had announced.
  [[nodiscard]] const std::exception_ptr& failure() const noexcept { return failure_; }
  [[nodiscard]] bool has_begun() const noexcept { return has_begun_; }
  /// Pre: has_begun().
  [[nodiscard]] h1::Framing framing() const noexcept { return framing_; }
  /// Behind the content: the last chunk and the trailers, where the framing has them.
  void write_end();
  /// The trailers as lines, for framings of other kinds.
  [[nodiscard]] std::string_view trailer_lines() const noexcept { return trailers_.field_lines(); }

  [[nodiscard]] Response& head() noexcept override { return head_; }
  void add_trailer(std::string_view name, std::string_view value) override;
  void put(std::string_view bytes) override;
  [[nodiscard]] Event& room() noexcept override { return room_; }

 private:
  void on_task_done() noexcept override;
  void run() override;
  void begin();
  void put_sized(std::string_view bytes);
  void give_way();
  void take_outcome() noexcept;

  ContentOwner& owner_;
  Loop& loop_;
  Response& head_;
  std::unique_ptr<ProducedContent> content_;
  Event room_;
  Response trailers_;  // checks fields and spells them
  std::uint64_t left_ = 0;
  std::size_t turn_bytes_ = 0;
  h1::Framing framing_ = h1::Framing::none;
  bool has_begun_ = false;
  bool is_yielding_ = false;  // until the next turn
  bool is_blocked_ = false;   // until the client's side takes more
  std::exception_ptr failure_;
  Task<> task_;  // last, so that it is destroyed before what it uses
};

}  // namespace eider::detail
