// Writes what answers the requests of an HTTP/1.1 connection.
// Must not close anything: what a head says about the connection its owner keeps to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "eider/io/runtime/stream.h"
#include "eider/protocols/http/h1/writer.h"
#include "eider/protocols/http/head.h"
#include "eider/protocols/http/method.h"
#include "eider/protocols/http/refusal.h"
#include "eider/protocols/http/request.h"
#include "eider/protocols/http/response.h"
#include "eider/server/content.h"
#include "eider/server/context.h"

namespace eider::detail::server {

/// How an answer without content says so: RFC 9110, 15.3.5 and 15.4.5, by nothing; 15.3.6, by a
/// length of zero, or the client would read on until the connection ends.
constexpr h1::Framing bodiless_framing(int status) noexcept {
  return status == 205 ? h1::Framing::sized : h1::Framing::none;
}

/// Content that such a request is sent of it.
[[nodiscard]] std::uint64_t content_bytes(Method method, const Response& response) noexcept;

/// Whether all of a response is in the cork, or some of it has been given to the socket already.
enum class Sent : std::uint8_t { corked, partly };

/// Made for one call.
class ResponderH1 {
 public:
  ResponderH1(LoopContext& context, Stream& stream) noexcept : context_(context), stream_(stream) {}

  /// What a head may say while the request's content can still come whole: StreamH1::persistence
  /// for the rest.
  [[nodiscard]] h1::Persistence persistence(const RequestHead& head,
                                            const Response& response) const noexcept {
    if (!head.keeps_alive || response.closes_connection() || context_.is_draining) [[unlikely]] {
      return h1::Persistence::close;
    }
    return head.minor_version == 0 ? h1::Persistence::spoken : h1::Persistence::implied;
  }
  /// Corks a whole answer, or sends it when it is large: an owned large body is taken from it.
  /// Within its caller, since a call of its own is 1.5 % of what a plain request costs.
  ///
  /// method  of the request: HEAD gets the head alone, with the length it would have had
  /// source  RFC 9110, sections 8.6, 9.3.2, 15.3.5, 15.3.6 and 15.4.5
  [[gnu::always_inline]] Sent send(Method method, Response& response, h1::Persistence persistence) {
    const std::string_view body = response.body();
    const std::string_view type = response.content_type();
    const bool is_usual = response.status() == 200 && persistence == h1::Persistence::implied &&
                          method != Method::head && !type.empty() &&
                          body.size() < kLargeBodyBytes && is_in_memory(response);
    if (!is_usual) [[unlikely]] {
      return send_any(method, response, persistence);
    }
    h1::write_usual(stream_.output(), start(), type, response.field_lines(), body);
    return Sent::corked;
  }
  /// Remembers that this handler's responses are large and have to wait for their clients.
  /// Pre: `send` has returned Sent::partly for the response
  void note_large(const Plan& plan, const Response& response);
  /// Fills the response and sends it, as the last one.
  void refuse(const RequestRefusal& refusal, const Plan& plan, Request& request,
              Response& response);
  /// A head alone; what it says of date and server is filled in.
  void send_head(h1::ResponseHead head);
  /// 1xx, to clients that know such.
  void send_interim(const RequestHead& head, int status, std::string_view field_lines);

 private:
  /// Content of this size is sent by itself instead of being copied behind others.
  static constexpr std::size_t kLargeBodyBytes = 64UL * 1024;

  /// Also what has a status of its own, no content, or much.
  Sent send_any(Method method, Response& response, h1::Persistence persistence);
  void send_bodiless(h1::ResponseHead head);
  [[nodiscard]] const h1::HeadStart& start() const noexcept {
    return context_.start.at(context_.loop.wall_seconds());
  }

  LoopContext& context_;
  Stream& stream_;
};

}  // namespace eider::detail::server
