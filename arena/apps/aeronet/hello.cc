// Hello world as aeronet's first example writes it: the ease table counts its lines.
// Must not be timed: app.cc is what is measured.
#include <aeronet/aeronet-server.hpp>
#include <utility>

using namespace aeronet;

int main() {
  Router router;
  router.setPath(http::Method::GET, "/", [](const HttpRequestView& request) {
    return request.makeResponse("Hello, World!");
  });
  HttpServer server(HttpServerConfig{}.withPort(8080), std::move(router));
  server.run();
}
