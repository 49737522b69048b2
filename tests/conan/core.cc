#include <eider/eider.h>

#include <cstdio>

struct Greeting {
  std::string message;
};

int main() {
  eider::App app;
  app.get("/hello/{name}", [](std::string_view name) { return Greeting{std::string(name)}; });
  std::printf("%s\n", eider::json::to_text(Greeting{"packed"}).c_str());
}
