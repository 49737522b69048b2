// One response whose body is produced while it is sent.
// Layering: must not know the request's states: its owner does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "eider/io/runtime/deferred.h"
#include "eider/io/runtime/loop.h"
#include "eider/protocols/http/method.h"
#include "eider/protocols/http/status.h"
#include "eider/server/content.h"
#include "eider/server/transport.h"

namespace eider::detail::server {

class ProductionOwner {
 public:
  /// Lets hooks see a head that is about to leave: see RequestService::finish.
  virtual void finish_head() noexcept = 0;
  /// Sends it: see Transport::send_head.
  virtual void send_head(std::optional<std::uint64_t> length, Follows follows) = 0;
  /// The producer has come to its end; told on the loop, never from within a call.
  virtual void on_produced() = 0;

 protected:
  ~ProductionOwner() = default;
};

/// The producer writes to a `Front`. With its first byte, or its end, the head is finished: hooks
/// see it, and may wrap the content or answer something else. From then on the front hands on to
/// what wraps it, if anything does, and that writes to this.
class Production final : public BodyWriter, private TaskOwner, private Deferred {
 public:
  /// transport    its output goes to nobody else until on_produced
  /// is_draining  of the server; outlives this
  /// method       of the request
  /// head         of the response
  Production(ProductionOwner& owner, Transport& transport, Loop& loop, const bool& is_draining,
             Method method, Response& head, ContentPtr<ProducedContent> content)
      : owner_(owner),
        transport_(transport),
        loop_(loop),
        is_draining_(is_draining),
        head_(head),
        content_(std::move(content)),
        method_(method) {}

  /// Runs the producer until it waits, and tells the owner of its end.
  void start();
  /// The response leaves without its content (HEAD), which is not produced then. Pre: not started.
  [[nodiscard]] bool has_head_alone() const noexcept {
    return method_ == Method::head || is_bodiless(head_.status());
  }
  /// Lets hooks see the head.
  void finish_head();
  /// Sends it, unless it was.
  void begin();
  /// The client's side takes more.
  void go_on() noexcept;
  /// Ends the content here, as if the producer had returned.
  void stop();

  /// With all that wraps it, once the head is finished.
  [[nodiscard]] const ProducedContent& content() const noexcept {
    return wrapped_ == nullptr ? *content_ : *wrapped_;
  }
  /// Null unless the producer threw, or wrote less than it had announced.
  [[nodiscard]] const std::exception_ptr& failure() const noexcept { return failure_; }
  [[nodiscard]] bool has_begun() const noexcept { return has_begun_; }
  /// Nothing is produced until the client's side takes more.
  [[nodiscard]] bool is_held_up() const noexcept { return is_blocked_; }
  /// A hook has put another response in place of this one, which is to be sent as it is.
  [[nodiscard]] bool is_replaced() const noexcept { return is_replaced_; }
  /// Content that was given to the transport, without framing.
  [[nodiscard]] std::uint64_t content_bytes() const noexcept { return content_bytes_; }
  /// What stands behind the content.
  [[nodiscard]] std::string_view trailer_lines() const noexcept { return trailers_.field_lines(); }

  [[nodiscard]] Response& head() noexcept override { return head_; }
  void add_trailer(std::string_view name, std::string_view value) override;
  void put(std::string_view bytes) override;
  void flush() override { begin(); }
  [[nodiscard]] AsyncEvent& room() noexcept override { return room_; }

 private:
  class Inner;

  /// What the producer writes to.
  class Front final : public BodyWriter {
   public:
    explicit Front(Production& production) noexcept : production_(production) {}
    [[nodiscard]] Response& head() noexcept override { return production_.head_; }
    void add_trailer(std::string_view name, std::string_view value) override {
      production_.add_trailer(name, value);
    }
    void put(std::string_view bytes) override { production_.put_produced(bytes); }
    void flush() override;
    [[nodiscard]] AsyncEvent& room() noexcept override;

   private:
    Production& production_;
  };

  void on_task_done() noexcept override;
  void run() override;
  void put_produced(std::string_view bytes);
  void finish_and_wrap() noexcept;
  void wrap_around();
  void attach(BodyWriter& target);
  void end_producing() noexcept;
  void put_last_words() noexcept;
  void count(std::size_t bytes);
  void give_way();
  void take_outcome(Task<>& task) noexcept;
  void check_length() noexcept;

  ProductionOwner& owner_;
  Transport& transport_;
  Loop& loop_;
  const bool& is_draining_;
  Response& head_;
  ContentPtr<ProducedContent> content_;
  const ProducedContent* inner_ = nullptr;  // the producer as what wraps it sees it, while it lives
  ContentPtr<ProducedContent> wrapped_;     // null: nothing wraps it
  Front front_{*this};
  BodyWriter* target_ = nullptr;  // where the front hands on to; null: nowhere yet
  Buffer early_;                  // what was produced before there was a target
  AsyncEvent is_produced_;        // the producer has ended, which what wraps it waits for
  AsyncEvent room_;
  Response trailers_;                  // checks fields and spells them
  std::optional<std::uint64_t> left_;  // of a length that holds
  std::uint64_t content_bytes_ = 0;
  std::size_t turn_bytes_ = 0;
  Method method_;
  bool has_begun_ = false;
  bool is_head_finished_ = false;
  bool is_replaced_ = false;
  bool is_yielding_ = false;  // until the next turn
  bool is_blocked_ = false;   // until the client's side takes more
  std::exception_ptr failure_;
  // Last, so that they are destroyed before what they use: the producer writes to what wraps it.
  Task<> wrapping_;
  Task<> producing_;
};

}  // namespace eider::detail::server
