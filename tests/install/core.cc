#include <eider/eider.h>
#include <eider/middleware.h>

#include <cstdio>

struct Greeting {
  std::string message;
};

// Uses the parts of a service without requests; testing.cc sends a request.
int main(int argc, char** argv) {
  eider::App app;
  app.get("/hello/{name}", [](std::string_view name) { return Greeting{std::string(name) + "!"}; });
  const auto options = eider::read_command_line(argc, argv);
  const std::string text = eider::json::to_text(Greeting{"outside"});
  std::printf("%s\n", text.c_str());
  return options && text == R"({"message":"outside"})" ? 0 : 1;
}
