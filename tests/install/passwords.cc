#include <eider/passwords.h>
#include <eider/runtime.h>

#include <cstdio>

namespace {

eider::Task<> try_out(bool& is_good) {
  const eider::Passwords passwords({.cost = {.memory_kib = 64, .passes = 1, .lanes = 1}});
  const auto stored = co_await passwords.hash("secret");
  const auto right = co_await passwords.verify("secret", *stored);
  const auto wrong = co_await passwords.verify("Secret", *stored);
  is_good = right->matches && !wrong->matches;
  std::printf("%s\n", stored->c_str());
  eider::Loop::current().stop();
}

}  // namespace

int main() {
  const auto loop = std::move(eider::Loop::create(eider::Backend::epoll).value());
  bool is_good = false;
  auto task = try_out(is_good);
  loop->post([&task] { task.start(); });
  loop->run();
  return is_good ? 0 : 1;
}
