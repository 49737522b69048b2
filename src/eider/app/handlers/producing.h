// Handlers that stream their response: parameters such as ResponseStream, results such as Streamed.
// Layering: must not write to connections; the server runs the producers (content.h).
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

/// Streams the response body; a parameter of handlers that return Task<>. The handler waits until
/// the client has room, and is destroyed where it waits if the client disconnects.
///
/// The default media type is application/octet-stream. For HEAD, the handler does not run, and the
/// response has no Content-Type (allowed by RFC 9110, section 9.3.2); return Streamed if HEAD
/// matters.
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

  /// `co_await out.write(bytes)`; `bytes` are not used after the call.
  [[nodiscard]] BodyWriter::WriteAwaiter write(std::string_view bytes) {
    return out_->write(bytes);
  }
  /// Sends the written bytes without waiting for more; before the first write, sends the headers.
  void flush() { out_->flush(); }
  /// Returns the response, to set status, type and headers before the first write.
  [[nodiscard]] Response& head() noexcept { return out_->head(); }
  /// Adds a trailer, sent after the body to HTTP/1.1 clients.
  void add_trailer(std::string_view name, std::string_view value) {
    out_->add_trailer(name, value);
  }

 private:
  BodyWriter* out_;
};

/// A result whose body is streamed, with a known media type.
///
///     return Streamed("text/csv", [rows](ResponseStream out) -> Task<> { … });
///
/// The function is kept until its task has ended, so the task can use its captures.
class Streamed {
 public:
  using Writer = std::function<Task<>(ResponseStream)>;

  Streamed(std::string type, Writer writer);
  /// Returns the response, to set status and headers.
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
    detail::app::describe_streamed_response(operation, "*/*", nullptr);
  }
};

/// Base of the Extract of a parameter that streams the response; specialize Extract by deriving
/// from this.
///
/// make(BodyWriter&, const Request&)  creates the parameter when the producer runs
/// prepare(Response&)                 sets the media type and headers, before anything else
/// last_words()                       optional: see ProducedContent::last_words
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
    detail::app::describe_streamed_response(operation, "application/octet-stream", nullptr);
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
