#include <eider/eider.h>

int main() {
  eider::App app;
  app.get("/", [] { return "Hello, World!"; });
  return app.serve({.port = 8080});
}
