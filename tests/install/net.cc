#include <eider/net.h>
#include <eider/runtime.h>

#include <cstdio>

namespace {

/// Makes a forbidden connection: only linking is tested, so no server is needed.
eider::Task<> reach(bool& is_forbidden) {
  eider::net::Net net({.allow_address = [](const eider::IpAddress&) { return false; }});
  const eider::net::Route route{.key = "any", .host = "127.0.0.1"};
  const auto now = eider::Loop::current().now();
  const auto made = co_await net.connect(route, {now + std::chrono::seconds(1), {}}, {});
  is_forbidden = !made && made.error().fault == eider::net::ConnectFault::forbidden_address;
  if (!made) {
    std::printf("%s\n", made.error().text.c_str());
  }
  eider::Loop::current().stop();
}

}  // namespace

int main() {
  const auto loop = std::move(eider::Loop::create(eider::Backend::epoll).value());
  bool is_forbidden = false;
  auto task = reach(is_forbidden);
  loop->post([&task] { task.start(); });
  loop->run();
  return is_forbidden ? 0 : 1;
}
