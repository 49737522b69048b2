#include <eider/eider.h>
#include <eider/proxy.h>

#include <cstdio>

int main() {
  eider::App app;
  eider::proxy_to(app, "/api", {"http://127.0.0.1:9000"});
  try {
    eider::proxy_to(app, "/other", {"gopher://127.0.0.1"});
    return 1;
  } catch (const eider::Failure& failure) {
    std::printf("%s\n", failure.what());
  }
  return app.make_service().has_value() ? 0 : 1;
}
