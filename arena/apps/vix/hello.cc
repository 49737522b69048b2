// Hello world as Vix.cpp's documentation writes it: the ease table counts its lines.
// Must not be timed: app.cc is what is measured.
#include <vix.hpp>

using namespace vix;

int main() {
  App app;
  app.get("/", [](Request&, Response& response) { response.text("Hello, World!"); });
  app.run(8080);
}
