#include <eider/eider.h>
#include <eider/http2.h>

int main() {
  eider::App app;
  eider::add_http2(app);
  app.get("/", [] { return "both protocols"; });
  return app.make_service().has_value() ? 0 : 1;
}
