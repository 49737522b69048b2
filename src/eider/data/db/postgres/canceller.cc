#include "eider/data/db/postgres/canceller.h"

#include <chrono>
#include <utility>

namespace eider::db::postgres {
namespace {

constexpr Duration kAnswerMax = std::chrono::seconds(5);

}  // namespace

void Canceller::ask(PGconn* session) {
  auto server = Address::of_peer(PQsocket(session));
  if (key_ && server && !is_asking_) {
    is_asking_ = true;
    is_to_ask_again_ = false;
    scope_.start(run(std::move(*server), tls_like(session)));
  }
}

void Canceller::ask_again(PGconn* session) {
  is_to_ask_again_ = true;
  ask(session);
}

void Canceller::repeat(PGconn* session) {
  if (is_to_ask_again_) {
    ask(session);
  }
}

Task<> Canceller::run(Address server, CancelTls tls) {
  const bool is_over =
      co_await request_cancel(std::move(server), *key_, std::move(tls), kAnswerMax);
  is_asking_ = false;
  owner_.on_asked(is_over);
}

}  // namespace eider::db::postgres
