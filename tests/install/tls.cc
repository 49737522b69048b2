#include <eider/eider.h>
#include <eider/tls.h>

#include <cstdio>

int main() {
  eider::App app;
  eider::add_tls(app);
  const auto good = eider::make_server_tls({}, nullptr);
  const auto bad = eider::make_server_tls({.certificate = {.certificate = "absent.pem"}}, nullptr);
  if (!bad) {
    std::printf("%s\n", std::string(bad.error().detail()).c_str());
  }
  return good && !bad ? 0 : 1;
}
