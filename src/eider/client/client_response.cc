#include "eider/client/client_response.h"

#include <utility>

#include "eider/client/call.h"
#include "eider/client/client_state.h"
#include "eider/client/received.h"

namespace eider {

namespace {

/// The deadline for a wait for the body. It ends with the wait, even if that is canceled: silence
/// is an error only while a task waits.
class SilenceDeadline {
 public:
  SilenceDeadline(detail::client::ClientExchange& exchange,
                  const detail::client::ClientState& client)
      : exchange_(exchange) {
    exchange.set_deadline(client.loop.now() + client.options.between_bytes,
                          "The server stopped sending its response: raise between_bytes.");
  }
  SilenceDeadline(const SilenceDeadline&) = delete;
  SilenceDeadline& operator=(const SilenceDeadline&) = delete;
  ~SilenceDeadline() { exchange_.clear_deadline(); }

 private:
  detail::client::ClientExchange& exchange_;
};

}  // namespace

ClientResponse::ClientResponse(std::unique_ptr<detail::client::Received> received) noexcept
    : received_(std::move(received)) {}
ClientResponse::ClientResponse(ClientResponse&& other) noexcept = default;
ClientResponse& ClientResponse::operator=(ClientResponse&& other) noexcept = default;
ClientResponse::~ClientResponse() = default;

int ClientResponse::status() const noexcept {
  return received_->status;
}

std::optional<std::string_view> ClientResponse::header(std::string_view name) const noexcept {
  return received_->find(name);
}

std::span<const Field> ClientResponse::headers() const noexcept {
  return received_->fields;
}

std::string_view ClientResponse::body() const noexcept {
  return received_->body.view();
}

std::span<const Field> ClientResponse::trailers() const noexcept {
  return received_->trailers;
}

std::string_view ClientResponse::url() const noexcept {
  return received_->url;
}

/// The lease ends with the response body. Then the connection can serve other requests while this
/// object still exists; it is closed if the request body was incomplete.
struct ClientStream::State {
  State(detail::client::ClientState& of, detail::client::Answered its) noexcept
      : client(of), answered(std::move(its)) {}

  detail::client::ClientState& client;
  detail::client::Answered answered;
};

ClientStream::ClientStream(detail::client::ClientState& state, detail::client::Answered answered)
    : state_(std::make_unique<State>(state, std::move(answered))) {}
ClientStream::ClientStream(ClientStream&& other) noexcept = default;
ClientStream& ClientStream::operator=(ClientStream&& other) noexcept = default;
ClientStream::~ClientStream() = default;

int ClientStream::status() const noexcept {
  return state_->answered.received->status;
}

std::optional<std::string_view> ClientStream::header(std::string_view name) const noexcept {
  return state_->answered.received->find(name);
}

std::span<const Field> ClientStream::headers() const noexcept {
  return state_->answered.received->fields;
}

std::string_view ClientStream::url() const noexcept {
  return state_->answered.received->url;
}

std::span<const Field> ClientStream::trailers() const noexcept {
  return state_->answered.received->trailers;
}

Task<Result<std::string_view, ClientError>> ClientStream::next() {
  // The state does not move, even if the stream is moved during the wait.
  State& state = *state_;
  detail::client::Answered& answered = state.answered;
  while (answered.lease.is_held()) {
    detail::client::ClientExchange& exchange = *answered.lease;
    auto piece = exchange.take_piece();
    if (!piece || !piece->empty()) {
      co_return piece;
    }
    if (exchange.has_failed()) {
      if (answered.sender != nullptr) {
        answered.sender->rethrow();
      }
      co_return fail(exchange.error());
    }
    if (exchange.has_taken_all()) {
      // Give back the connection when everything was read, not when the response is destroyed.
      answered.give_back();
      break;
    }
    if (answered.sender != nullptr && !answered.sender->is_done()) {
      // The server may wait for the rest of the request body.
      co_await exchange.until(detail::client::Condition::change);
      continue;
    }
    const SilenceDeadline deadline(exchange, state.client);
    co_await exchange.until(detail::client::Condition::content);
  }
  co_return std::string_view();
}

}  // namespace eider
