#include <eider/compress.h>
#include <eider/eider.h>
#include <eider/testing.h>

#include <cstdio>

int main() {
  eider::App app;
  app.use(eider::compression());
  app.get("/page", [] { return std::string(5000, 'a'); });
  app.post("/size",
           [](eider::BodyStream body, const eider::Request& request) -> eider::Task<std::size_t> {
             eider::DecodedBody decoded(body, request);
             std::size_t bytes = 0;
             while (const auto piece = co_await decoded.next()) {
               bytes += piece->size();
             }
             co_return bytes;
           });
  eider::TestClient client(app);
  for (const std::string_view coding : {"gzip", "br", "zstd"}) {
    const eider::TestResponse reply =
        client.send({.target = "/page", .headers = {{"Accept-Encoding", coding}}});
    std::printf("%d %zu\n", reply.status, reply.body.size());
    if (reply.header("Content-Encoding") != coding || reply.body.size() >= 1000) {
      return 1;
    }
  }
  return 0;
}
