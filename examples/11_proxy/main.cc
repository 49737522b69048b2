// A load balancer for other services, with health checks; --help lists its options.
//
//   ./11_proxy --upstreams http://127.0.0.1:9000 --upstreams http://127.0.0.1:9001 --port 8080
#include <eider/eider.h>
#include <eider/http2.h>
#include <eider/middleware.h>
#include <eider/proxy.h>
#include <eider/tls.h>

using namespace eider;

namespace {

struct Options {
  std::vector<std::string> upstreams = {};
  std::string hash = {};
  std::string health = {};
  bool preserves_host = false;
  bool all_paths = false;
  Secret admin_key = {};
  bool http2 = false;
  Duration silence = ProxyOptions().client.between_bytes;
  Duration tunnel_idle = ProxyOptions().tunnel_idle;

  static constexpr OptionText kOptions[] = {
      {"upstreams", "Upstream service, such as http://127.0.0.1:9000; can be repeated", "URL"},
      {"hash", "Header whose value selects the service", "FIELD"},
      {"health", "Path of the health check of services", "PATH"},
      {"preserves_host", "Pass the header Host of the client on to services"},
      {"all_paths", "Also forward paths with %2F, %5C, ';' and double encodings"},
      {"admin_key", "Bearer token that /admin requires", "KEY"},
      {"http2", "Use HTTP/2 with prior knowledge for services"},
      {"silence", "Time limit for a pause in a response"},
      {"tunnel_idle", "Time limit for idle WebSockets"}};
};

ProxyOptions proxy_options(const Options& own) {
  ProxyOptions chosen;
  chosen.hash_header = own.hash;
  chosen.balancing = own.hash.empty() ? Balancing::least_busy : Balancing::consistent_hash;
  chosen.health_path = own.health;
  chosen.health_every = std::chrono::seconds(1);
  chosen.preserves_host = own.preserves_host;
  chosen.allows_encoded_slashes = own.all_paths;
  chosen.allows_semicolons = own.all_paths;
  chosen.allows_double_encoding = own.all_paths;
  chosen.client.http2 = own.http2 ? Http2Use::always : Http2Use::negotiated;
  chosen.client.first_byte = std::chrono::seconds(3);
  chosen.client.between_bytes = own.silence;
  chosen.tunnel_idle = own.tunnel_idle;
  return chosen;
}

App make_app(const Options& own) {
  if (own.upstreams.empty()) {
    throw Failure(Error::bad_request(
        "--upstreams is missing. Give the URL of a service: --upstreams http://127.0.0.1:9000"));
  }
  App app;
  add_tls(app);
  add_http2(app);
  if (!own.admin_key.empty()) {
    Routes admin = app.group("/admin");
    admin.guard(bearer_auth({.tokens = {{own.admin_key.reveal(), {.name = "admin"}}}}));
    proxy_to(admin, "/", own.upstreams, proxy_options(own));
  }
  proxy_to(app, "/", own.upstreams, proxy_options(own));
  return app;
}

}  // namespace

int main(int argc, char** argv) {
  return run_app<Options>("proxy", argc, argv, make_app);
}
