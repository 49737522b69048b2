// Hello world as Crow's README writes it: the ease table counts its lines.
// Must not be timed: app.cc is what is measured.
#include <crow.h>

int main() {
  crow::SimpleApp app;
  CROW_ROUTE(app, "/")([] { return "Hello, World!"; });
  app.port(8080).multithreaded().run();
}
