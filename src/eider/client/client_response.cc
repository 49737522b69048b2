#include "eider/client/client_response.h"

#include <utility>

#include "eider/client/detail/call.h"
#include "eider/client/detail/client_state.h"
#include "eider/client/detail/received.h"

namespace eider {

ClientResponse::ClientResponse(std::unique_ptr<detail::Received> received) noexcept
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

/// The lease ends with the content, so that the connection serves others while this is kept.
struct ClientStream::State {
  State(detail::ClientState& of, detail::Answered answered) noexcept
      : client(of), received(std::move(answered.received)), lease(std::move(answered.lease)) {}

  detail::ClientState& client;
  std::unique_ptr<detail::Received> received;
  detail::Lease lease;
};

ClientStream::ClientStream(detail::ClientState& state, detail::Answered answered)
    : state_(std::make_unique<State>(state, std::move(answered))) {}
ClientStream::ClientStream(ClientStream&& other) noexcept = default;
ClientStream& ClientStream::operator=(ClientStream&& other) noexcept = default;
ClientStream::~ClientStream() = default;

int ClientStream::status() const noexcept {
  return state_->received->status;
}

std::optional<std::string_view> ClientStream::header(std::string_view name) const noexcept {
  return state_->received->find(name);
}

std::span<const Field> ClientStream::headers() const noexcept {
  return state_->received->fields;
}

std::string_view ClientStream::url() const noexcept {
  return state_->received->url;
}

std::span<const Field> ClientStream::trailers() const noexcept {
  return state_->received->trailers;
}

Task<Result<std::string_view, ClientError>> ClientStream::next() {
  State& state = *state_;
  while (state.lease.is_held()) {
    detail::ClientExchange& exchange = *state.lease;
    auto piece = exchange.take_piece();
    if (!piece || !piece->empty()) {
      co_return piece;
    }
    if (exchange.has_failed()) {
      co_return fail(exchange.error());
    }
    if (exchange.has_taken_all()) {
      state.lease.give_back();
      break;
    }
    exchange.set_deadline(state.client.loop.now() + state.client.options.silence,
                          "The server fell silent within its answer: raise silence.");
    co_await exchange.until(detail::News::content);
    exchange.clear_deadline();
  }
  co_return std::string_view();
}

}  // namespace eider
