// A balancer in front of other services, with health checks.
//
//   UPSTREAMS=http://127.0.0.1:9000,http://127.0.0.1:9001 ./11_proxy --port 8080
//
// HASH=Cookie keeps clients with the same cookie on the same service; HEALTH=/status asks there
// whether a service is well; KEEPS_HOST=1 tells services the Host that clients ask for; SILENCE=5
// gives up answers that do not go on for five seconds.
#include <eider/eider.h>
#include <eider/http2/http2.h>
#include <eider/proxy/proxy.h>
#include <eider/tls/tls.h>

#include <cstdio>
#include <cstdlib>

using namespace eider;

namespace {

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> all;
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    all.emplace_back(list.substr(0, comma));
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  }
  return all;
}

ProxyOptions options() {
  ProxyOptions chosen;
  chosen.hash_field = setting("HASH");
  chosen.balancing = chosen.hash_field.empty() ? Balancing::least_busy : Balancing::consistent_hash;
  chosen.health_path = setting("HEALTH");
  chosen.health_every = std::chrono::seconds(1);
  chosen.keeps_host = !setting("KEEPS_HOST").empty();
  chosen.client.first_byte = std::chrono::seconds(3);
  if (const std::string seconds = setting("SILENCE"); !seconds.empty()) {
    chosen.client.silence = std::chrono::seconds(std::stoi(seconds));
  }
  return chosen;
}

}  // namespace

int main(int argc, char** argv) {
  App app;
  enable_tls(app);
  enable_http2(app);
  const std::vector<std::string> upstreams = split(setting("UPSTREAMS"));
  if (upstreams.empty()) {
    std::fputs("UPSTREAMS names the services: http://127.0.0.1:9000,http://…\n", stderr);
    return 2;
  }
  proxy_to(app, "/", upstreams, options());
  return app.run(argc, argv);
}
