// Hello world as Restbed's README writes it: the ease table counts its lines.
// Must not be timed: app.cc is what is measured.
#include <memory>
#include <restbed>

using namespace restbed;

int main() {
  const auto resource = std::make_shared<Resource>();
  resource->set_path("/");
  resource->set_method_handler("GET", [](const std::shared_ptr<Session> session) {
    session->close(OK, "Hello, World!", {{"Content-Length", "13"}});
  });
  const auto settings = std::make_shared<Settings>();
  settings->set_port(8080);
  Service service;
  service.publish(resource);
  service.start(settings);
}
