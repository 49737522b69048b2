// A route that answers before the handshake is done, and others that do not.
//
//   ./12_early_data --tls-port 8443
//   printf 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n' > request
//   openssl s_client -connect localhost:8443 -sess_out session -ign_eof < request
//   openssl s_client -connect localhost:8443 -sess_in session -early_data request -ign_eof
//
// UPSTREAM is where /upstream asks, as "http://127.0.0.1:8080".
#include <eider/eider.h>
#include <eider/http2/http2.h>
#include <eider/proxy/proxy.h>
#include <eider/tls/tls.h>

#include <atomic>
#include <cstdlib>
#include <string>

using namespace eider;

namespace {

std::string_view describe(const Request& request) {
  return request.is_early() ? "It came early.\n" : "It came in time.\n";
}

}  // namespace

int main(int argc, char** argv) {
  App app;
  std::atomic<int> asked = 0;
  app.get("/", describe).allow_early_data();
  app.get("/asked", [&asked] { return ++asked; }).allow_early_data();
  app.get("/large", [] { return std::string(100'000, 'x'); }).allow_early_data();
  app.get("/late", describe);
  app.post("/late", describe);
  if (const char* const upstream = std::getenv("UPSTREAM")) {
    proxy_to(app, "/upstream", {upstream}, {.allows_early_data = true});
  }
  enable_http2(app);
  enable_tls(app);
  return app.run(argc, argv);
}
