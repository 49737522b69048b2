#include <eider/eider.h>
#include <eider/swagger.h>

int main() {
  eider::App app;
  eider::serve_openapi(app, {.title = "Outside"});
  eider::serve_swagger(app, {.title = "Outside"});
  return app.make_service().has_value() ? 0 : 1;
}
