#include <eider/client.h>
#include <eider/runtime.h>

#include <cstdio>

namespace {

/// Makes an invalid request: only linking is tested, so no connection is needed.
eider::Task<> ask(bool& is_refused) {
  eider::HttpClient client({.cookies = std::make_shared<eider::CookieJar>()});
  const auto reply = co_await client.get("gopher://127.0.0.1/");
  is_refused = !reply && reply.error().fault == eider::ClientFault::bad_url;
  if (!reply) {
    std::printf("%s\n", reply.error().text.c_str());
  }
  eider::Loop::current().stop();
}

}  // namespace

int main() {
  const auto loop = std::move(eider::Loop::create(eider::Backend::epoll).value());
  bool is_refused = false;
  auto task = ask(is_refused);
  loop->post([&task] { task.start(); });
  loop->run();
  return is_refused ? 0 : 1;
}
