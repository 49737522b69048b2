// Hello world as Drogon's README writes it: the ease table counts its lines.
// Must not be timed: app.cc is what is measured.
#include <drogon/drogon.h>

using namespace drogon;

int main() {
  app().registerHandler(
      "/", [](const HttpRequestPtr&, std::function<void(const HttpResponsePtr&)>&& callback) {
        const auto response = HttpResponse::newHttpResponse();
        response->setBody("Hello, World!");
        callback(response);
      });
  app().addListener("0.0.0.0", 8080).run();
}
