#include <eider/app/http2/http2.h>
#include <eider/eider.h>

int main() {
  eider::App app;
  eider::enable_http2(app);
  app.get("/", [] { return "both protocols"; });
  return app.make_service().has_value() ? 0 : 1;
}
