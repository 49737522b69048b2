// The arena's endpoints on Restbed: its resources and sessions, its timer, THREADS workers.
//
//   restbed_app PORT THREADS DELAY_MS [--routes N] [--middlewares M]
#include <csignal>
#include <functional>
#include <map>
#include <memory>
#include <restbed>
#include <string>
#include <thread>

#include "../common/adapter.h"
#include "../common/adapter_json.h"

namespace {

using arena::Options;
using restbed::Bytes;
using restbed::Service;
using restbed::Session;
using SessionPointer = std::shared_ptr<Session>;
using Handler = std::function<void(const SessionPointer&)>;

constexpr unsigned kBacklog = 16384;  // it takes this for its limit of connections, too
constexpr std::chrono::seconds kIdle{600};

/// A session that is yielded reads on; one that is closed sends its answer first.
void answer(const SessionPointer& session, int status, const char* type, const std::string& body) {
  std::multimap<std::string, std::string> headers{{"Content-Type", type},
                                                  {"Content-Length", std::to_string(body.size())}};
  const std::string asked = session->get_request()->get_header("Connection");
  if (asked == "close") {
    headers.emplace("Connection", "close");
    session->close(status, body, headers);
  } else {
    headers.emplace("Connection", "keep-alive");
    session->yield(status, body, headers);
  }
}

void answer_plain(const SessionPointer& session, const std::string& body) {
  answer(session, restbed::OK, "text/plain", body);
}

void answer_post(const SessionPointer& session, const Bytes& body) {
  const auto reply = arena::reply_to(body);
  if (!reply) {
    answer(session, restbed::BAD_REQUEST, "text/plain", "the body must be a JSON object");
    return;
  }
  answer(session, restbed::OK, "application/json", *reply);
}

void publish(Service& service, const std::string& path, const char* method,
             const Handler& handler) {
  const auto resource = std::make_shared<restbed::Resource>();
  resource->set_path(path);
  resource->set_method_handler(method, handler);
  service.publish(resource);
}

void add_constant(Service& service, const std::string& path, const char* type, std::string body) {
  publish(service, path, "GET", [type, body = std::move(body)](const SessionPointer& session) {
    answer(session, restbed::OK, type, body);
  });
}

void add_plain_routes(Service& service) {
  for (const char* path : {"/plaintext", "/simple", "/bench"}) {
    add_constant(service, path, "text/plain", arena::kHello);
  }
  publish(service, "/json", "GET", [](const SessionPointer& session) {
    answer(session, restbed::OK, "application/json", arena::hello_json());
  });
  add_constant(service, "/html", "text/html", arena::kHtml);
  add_constant(service, "/test/status", "text/plain", "OK");
  publish(service, "/test/labels/{label: .*}", "GET", [](const SessionPointer& session) {
    answer_plain(session, session->get_request()->get_path_parameter("label"));
  });
  for (const int size : arena::kSizes) {
    add_constant(service, "/bytes/" + std::to_string(size), arena::kOctets, arena::filled(size));
  }
}

using BodyHandler = std::function<void(const SessionPointer, const Bytes&)>;

void fetch_body(const SessionPointer& session, const BodyHandler& handler) {
  const int length = session->get_request()->get_header("Content-Length", 0);
  session->fetch(static_cast<std::size_t>(length), handler);
}

void add_slow_routes(Service& service, std::chrono::milliseconds delay) {
  publish(service, "/test", "POST", [delay](const SessionPointer& session) {
    fetch_body(session, [delay](const SessionPointer& whole, const Bytes& body) {
      if (delay.count() == 0) {
        answer_post(whole, body);
        return;
      }
      whole->sleep_for(delay, [body](const SessionPointer& due) { answer_post(due, body); });
    });
  });
  publish(service, "/test/blocking", "POST", [delay](const SessionPointer& session) {
    fetch_body(session, [delay](const SessionPointer& whole, const Bytes& body) {
      std::this_thread::sleep_for(delay);
      answer_post(whole, body);
    });
  });
}

void add_typed_routes(Service& service, int company) {
  publish(service, "/users/{id: [0-9]+}/posts/{pid: [0-9]+}", "GET",
          [](const SessionPointer& session) {
            const auto request = session->get_request();
            const int id = request->get_path_parameter("id", 0);
            answer_plain(session, arena::post_text(id, request->get_path_parameter("pid", 0)));
          });
  for (int i = 0; i < company; ++i) {
    const std::string n = std::to_string(i);
    publish(service, "/area" + n + "/{id: [0-9]+}/item" + n + "/{item: [0-9]+}", "GET",
            [](const SessionPointer& session) {
              const auto request = session->get_request();
              const int id = request->get_path_parameter("id", 0);
              answer_plain(session, std::to_string(id + request->get_path_parameter("item", 0)));
            });
  }
}

/// Its middlewares: rules that are asked before the resource.
class PathReader : public restbed::Rule {
 public:
  bool condition(const SessionPointer session) override {
    static_cast<void>(session->get_request()->get_path().size());
    return false;
  }

  void action(const SessionPointer session,
              const std::function<void(const SessionPointer)>& callback) override {
    callback(session);
  }
};

}  // namespace

int main(int argc, char** argv) {
  const Options options = arena::read_options(argc, argv);
  Service service;
  add_plain_routes(service);
  add_slow_routes(service, options.delay);
  add_typed_routes(service, options.routes);
  for (int i = 0; i < options.middlewares; ++i) {
    service.add_rule(std::make_shared<PathReader>());
  }
  const auto settings = std::make_shared<restbed::Settings>();
  settings->set_port(static_cast<std::uint16_t>(options.port));
  settings->set_worker_limit(static_cast<unsigned>(options.threads));
  settings->set_connection_limit(kBacklog);
  settings->set_connection_timeout(kIdle);
  service.set_signal_handler(SIGTERM, [&service](int) { service.stop(); });
  service.start(settings);
}
