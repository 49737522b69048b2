// Handlers that write their answer while they run: parameters such as ResponseStream, and results
// such as Streamed. Must not write by itself: the server runs what is made here (content.h).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "eider/app/handlers/handler.h"
#include "eider/app/handlers/respond.h"
#include "eider/server/content.h"

namespace eider {

/// A parameter of a handler that returns Task<>: what it writes is the answer's content, sent as it
/// is written, and the handler goes on when the client has room. The task is destroyed where it
/// waits when the client leaves.
///
/// The content is application/octet-stream unless the handler says otherwise. For HEAD the handler
/// does not run, and the answer has no Content-Type (RFC 9110, section 9.3.2, allows that of what
/// is only known while the content is made): return Streamed where HEAD matters.
///
///     app.get("/count", [](ResponseStream out) -> Task<> {
///       out.head().set_static_type(kTextPlain);
///       for (int number = 0; number < 1'000'000; ++number) {
///         co_await out.write(std::to_string(number) + "\n");
///       }
///     });
class ResponseStream {
 public:
  explicit ResponseStream(BodyWriter& out) noexcept : out_(&out) {}

  /// `co_await out.write(bytes)`; `bytes` are not kept after it returned.
  [[nodiscard]] BodyWriter::WriteAwaiter write(std::string_view bytes) {
    return out_->write(bytes);
  }
  /// What was written reaches the client without waiting for more; ahead of the first write, the
  /// head does.
  void flush() { out_->flush(); }
  /// Status, type and fields, to be changed before the first write.
  [[nodiscard]] Response& head() noexcept { return out_->head(); }
  /// Sent behind the content, to clients of HTTP/1.1.
  void add_trailer(std::string_view name, std::string_view value) {
    out_->add_trailer(name, value);
  }

 private:
  BodyWriter* out_;
};

/// A result: content that is made while it is sent, of a type that is known before.
///
///     return Streamed("text/csv", [rows](ResponseStream out) -> Task<> { … });
///
/// The function is kept until its task has ended, so the task may use what it captured.
class Streamed {
 public:
  using Writer = std::function<Task<>(ResponseStream)>;

  Streamed(std::string type, Writer writer);
  /// Status and further fields.
  [[nodiscard]] Response& head() noexcept { return head_; }
  [[nodiscard]] Writer& writer() noexcept { return writer_; }

 private:
  Response head_;
  Writer writer_;
};

template <>
struct Render<Streamed> {
  static void into(Response& response, Streamed streamed);
  static void describe(Operation& operation) {
    detail::app::describe_streamed_answer(operation, "*/*", nullptr);
  }
};

/// How a type of parameter becomes a producer's; specialise Extract by deriving from this.
///
/// make(BodyWriter&, const Request&)  the parameter, when the producer runs
/// prepare(Response&)                 the content's type and further fields, before anything else
/// last_words()                       may be left out: see ProducedContent::last_words
///
/// kOf  output or live_output: see ProducedContent::is_live
template <class P, ArgumentKind kOf>
struct ExtractProducing {
  static constexpr ArgumentKind kKind = kOf;
  /// Made when the producer runs.
  struct Held {
    const Request* request;
  };
  static Result<Held> from(const Context& context, ArgumentPlace) { return Held{&context.request}; }
};

template <>
struct Extract<ResponseStream> : ExtractProducing<ResponseStream, ArgumentKind::output> {
  static void prepare(Response& /*response*/) noexcept {}
  static ResponseStream make(BodyWriter& out, const Request& request);
  static void describe(Operation& operation) {
    detail::app::describe_streamed_answer(operation, "application/octet-stream", nullptr);
  }
};

namespace detail::app {

/// The handler's arguments, kept until its task has ended.
template <class F>
class ProducingHandler final : public ProducedContent {
 public:
  using S = Signature<F>;

  ProducingHandler(const F& function, typename S::Held held)
      : function_(function), held_(std::move(held)) {}

  [[nodiscard]] Task<> produce(BodyWriter& out) override {
    return call(out, std::make_index_sequence<S::kCount>());
  }
  [[nodiscard]] bool is_live() const noexcept override { return S::kIsLive; }
  [[nodiscard]] std::string last_words() const override { return S::last_words(); }

 private:
  template <std::size_t... I>
  Task<> call(BodyWriter& out, std::index_sequence<I...> /*all*/) {
    return function_(S::template argument<I>(*held_at<I>(held_), out)...);
  }

  const F& function_;
  typename S::Held held_;
};

template <class F>
void begin_producing(const F& function, const Context& context, Response& response) {
  using S = Signature<F>;
  constexpr std::make_index_sequence<S::kCount> kSequence;
  auto held = S::extract(context, kSequence);
  if (!all_held(response, held, kSequence)) {
    return;
  }
  S::prepare(response);
  response.set_content(std::make_unique<ProducingHandler<F>>(function, std::move(held)));
}

}  // namespace detail::app
}  // namespace eider
