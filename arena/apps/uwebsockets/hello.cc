// Hello world as uWebSockets' README writes it: the ease table counts its lines.
// Must not be timed: app.cc is what is measured.
#include <App.h>

int main() {
  uWS::App()
      .get("/*", [](auto* response, auto*) { response->end("Hello, World!"); })
      .listen(8080, [](auto*) {})
      .run();
}
