#include "eider/web/proxy/proxied_answer.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "eider/client/client_response.h"
#include "eider/client/client_state.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/text.h"
#include "eider/server/content.h"
#include "eider/web/proxy/forwarding.h"

namespace eider::detail::proxy {

namespace {

class ProxiedContent final : public ProducedContent {
 public:
  ProxiedContent(ClientStream stream, Load load)
      : load_(std::move(load)), stream_(std::move(stream)) {}

  [[nodiscard]] Task<> produce(BodyWriter& out) override {
    for (bool is_first = true;; is_first = false) {
      auto taking = stream_.next();
      if (!taking.start() && is_first) {
        out.flush();  // the head does not wait for content, which may be long in coming
      }
      auto piece = co_await std::move(taking);
      if (!piece) {
        throw Failure(to_error(piece.error()));
      }
      if (piece->empty()) {
        break;
      }
      auto written = out.write(*piece);
      co_await written;
    }
    // The trailers are complete only behind the last piece.
    forward_trailers(
        stream_.headers(), stream_.trailers(),
        [&](std::string_view name, std::string_view value) { out.add_trailer(name, value); });
  }
  [[nodiscard]] std::optional<std::uint64_t> length() const noexcept override {
    const auto text = stream_.header("Content-Length");
    return text ? parse_uint64(*text) : std::nullopt;
  }
  [[nodiscard]] bool is_live() const noexcept override {
    return stream_.header("Content-Type").value_or("").starts_with("text/event-stream");
  }

 private:
  Load load_;
  ClientStream stream_;
};

/// All of the content, when it has come already and nothing belongs behind it.
std::optional<std::string> whole_content(client::Answered& answered) {
  client::ClientExchange& connection = *answered.lease;
  if (!connection.is_done() || !answered.received->trailers.empty()) {
    return std::nullopt;
  }
  const auto piece = connection.take_piece();  // the only one: nothing is decoded
  std::string content(piece ? *piece : std::string_view());
  // The bytes are copied by now, so the connection may serve others.
  answered.give_back();
  return content;
}

}  // namespace

Response to_response(client::ClientState& client, client::Answered answered, Method asked,
                     Load load) {
  // RFC 9110, section 15: a status code above 599 is handled as a server error.
  constexpr int kStatusMax = 599;
  const int status = answered.received->status;
  Response response(status > kStatusMax ? 502 : status);
  if (const auto type = answered.received->find("Content-Type")) {
    response.set_type(std::string(*type));
  }
  forward_answer_fields(
      answered.received->fields, answered.received->version,
      [&](std::string_view name, std::string_view value) { response.add_header(name, value); });
  // An answer to HEAD keeps the length that its head says.
  auto content = asked == Method::head ? std::nullopt : whole_content(answered);
  if (content) {
    response.set_body(std::move(*content));
  } else {
    response.set_content(std::make_unique<ProxiedContent>(ClientStream(client, std::move(answered)),
                                                          std::move(load)));
  }
  return response;
}

}  // namespace eider::detail::proxy
