// The smallest service, without a command line, for program_size_test.py.
#include <eider/eider.h>

int main() {
  eider::App app;
  app.get("/", [] { return "Hello world"; });
  return app.serve({.port = 0});
}
