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

class Exchange;

/// Runs the producer, which writes to a `Front`. At its first byte, or its end, the headers are
/// finished: middleware sees them, and may wrap the body or replace the response. From then on, the
/// front writes to the wrapper, if there is one, and that writes to this object.
class Production final : public BodyWriter, private TaskOwner, private Deferred {
 public:
  /// transport    used only by this object until Exchange::on_produced
  /// is_draining  of the server; outlives this
  /// method       of the request
  /// head         of the response
  Production(Exchange& owner, Transport& transport, Loop& loop, const bool& is_draining,
             Method method, Response& head, ContentPtr<ProducedContent> content)
      : owner_(owner),
        transport_(transport),
        loop_(loop),
        is_draining_(is_draining),
        head_(head),
        content_(std::move(content)),
        method_(method) {}

  /// Runs the producer until it waits, and notifies the owner of its end.
  void start();
  /// Returns whether only headers are sent (for HEAD); then nothing is produced. Pre: not started.
  [[nodiscard]] bool has_head_alone() const noexcept {
    return method_ == Method::head || is_bodiless(head_.status());
  }
  /// Lets middleware see the headers.
  void finish_head();
  /// Sends the headers, unless they were sent.
  void begin();
  /// Called when the client can receive more.
  void go_on() noexcept;
  /// Ends the body here, as if the producer had returned.
  void stop();

  /// Returns the body, including wrappers once the headers are finished.
  [[nodiscard]] const ProducedContent& content() const noexcept {
    return wrapped_ == nullptr ? *content_ : *wrapped_;
  }
  /// Returns the exception of the producer, or for a body shorter than announced; otherwise null.
  [[nodiscard]] const std::exception_ptr& failure() const noexcept { return failure_; }
  [[nodiscard]] bool has_begun() const noexcept { return has_begun_; }
  /// Returns whether production waits for the client.
  [[nodiscard]] bool is_held_up() const noexcept { return is_blocked_; }
  /// Returns whether middleware has replaced the response, which is then sent as it is.
  [[nodiscard]] bool is_replaced() const noexcept { return is_replaced_; }
  /// Returns the number of body bytes given to the transport, without framing.
  [[nodiscard]] std::uint64_t content_bytes() const noexcept { return content_bytes_; }
  /// Returns the trailers.
  [[nodiscard]] std::string_view trailer_lines() const noexcept { return trailers_.field_lines(); }

  [[nodiscard]] Response& head() noexcept override { return head_; }
  void add_trailer(std::string_view name, std::string_view value) override;
  void put(std::string_view bytes) override;
  void flush() override { begin(); }
  [[nodiscard]] AsyncEvent& room() noexcept override { return room_; }

 private:
  class Inner;

  /// The writer that the producer uses.
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
    void note_ending(Ending ending) noexcept override { production_.ending_ = ending; }

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

  Exchange& owner_;
  Transport& transport_;
  Loop& loop_;
  const bool& is_draining_;
  Response& head_;
  ContentPtr<ProducedContent> content_;
  const ProducedContent* inner_ = nullptr;  // the producer, as seen by the wrapper
  ContentPtr<ProducedContent> wrapped_;     // null: no wrapper
  Front front_{*this};
  BodyWriter* target_ = nullptr;  // where the front writes to; null: not decided yet
  Buffer early_;                  // produced before there was a target
  AsyncEvent is_produced_;        // set when the producer has ended; the wrapper waits for it
  AsyncEvent room_;
  Response trailers_;                  // validates and formats the trailers
  std::optional<std::uint64_t> left_;  // bytes that are missing from the announced length
  std::uint64_t content_bytes_ = 0;
  std::size_t turn_bytes_ = 0;
  Method method_;
  Ending ending_ = Ending::whole;  // of the producer's bytes
  bool has_begun_ = false;
  bool is_head_finished_ = false;
  bool is_replaced_ = false;
  bool is_yielding_ = false;  // until its next turn
  bool is_blocked_ = false;   // until the client can receive more
  std::exception_ptr failure_;
  // Last, so that they are destroyed before the members that they use: the producer writes to the
  // wrapper.
  Task<> wrapping_;
  Task<> producing_;
};

}  // namespace eider::detail::server
