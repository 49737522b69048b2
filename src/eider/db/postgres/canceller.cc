#include "eider/db/postgres/canceller.h"

#include <chrono>
#include <utility>

namespace eider::db::postgres {
namespace {

constexpr Duration kAnswerMax = std::chrono::seconds(5);

}  // namespace

void Canceller::ask(int fd) {
  auto server = Address::of_peer(fd);
  if (key_ && server && !is_asking_) {
    is_asking_ = true;
    is_to_ask_again_ = false;
    scope_.start(run(std::move(*server)));
  }
}

void Canceller::ask_again(int fd) {
  is_to_ask_again_ = true;
  ask(fd);
}

void Canceller::repeat(int fd) {
  if (is_to_ask_again_) {
    ask(fd);
  }
}

Task<> Canceller::run(Address server) {
  const bool is_over = co_await request_cancel(std::move(server), *key_, kAnswerMax);
  is_asking_ = false;
  owner_.on_asked(is_over);
}

}  // namespace eider::db::postgres
