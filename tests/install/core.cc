#include <eider/eider.h>
#include <eider/testkit/test_client.h>

#include <cstdio>

struct Greeting {
  std::string message;
};

int main() {
  eider::App app;
  app.get("/hello/{name}", [](std::string_view name) { return Greeting{std::string(name)}; });
  eider::TestClient client(app);
  const eider::Reply reply = client.get("/hello/outside");
  std::printf("%d %s\n", reply.status, reply.body.c_str());
  return reply.status == 200 && reply.body == R"({"message":"outside"})" ? 0 : 1;
}
