#include <eider/passkeys.h>
#include <eider/runtime.h>

#include <cstdio>
#include <string>

int main() {
  const auto loop = std::move(eider::Loop::create(eider::Backend::epoll).value());
  const eider::Passkeys keys(
      {.relying_party_id = "example.com", .origins = {"https://example.com"}, .name = "Example"});
  bool is_good = false;
  loop->post([&] {
    const std::string begun = keys.begin_login("a browser");
    const auto refused = keys.finish_registration("{}", "a browser");
    is_good = begun.contains("challenge") && !refused &&
              refused.error().fault == eider::PasskeyFault::malformed;
    std::printf("%s\n", begun.c_str());
    eider::Loop::current().stop();
  });
  loop->run();
  return is_good ? 0 : 1;
}
