// A minimal service: text, a path parameter, and validated numbers.
//   curl localhost:8080/hello/Ada        curl -i localhost:8080/add/1/x
#include <eider/eider.h>

#include <string>

using namespace eider;

int main(int argc, char** argv) {
  App app;
  app.get("/", [] { return "Hello world"; });
  app.get("/hello/{name}", [](std::string_view name) { return "Hello " + std::string(name); });
  app.get("/add/{a}/{b}", [](int a, int b) { return a + b; });
  return app.run(argc, argv);
}
