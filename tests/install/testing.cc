#include <eider/eider.h>
#include <eider/testing.h>

#include <cstdio>

struct Greeting {
  std::string message;
};

namespace {

// A type in an unnamed namespace: its description must not require external linkage.
struct Tone {
  std::string ending;
  int marks = 1;
};

}  // namespace

int main() {
  eider::App app;
  app.get("/hello/{name}", [](std::string_view name, eider::Query<Tone> tone) {
    return Greeting{std::string(name) + std::string(static_cast<std::size_t>(tone->marks), '!') +
                    tone->ending};
  });
  eider::TestClient client(app);
  const eider::TestResponse reply = client.get("/hello/outside?ending=.");
  std::printf("%d %s\n", reply.status, reply.body.c_str());
  return reply.status == 200 && reply.body == R"({"message":"outside!."})" ? 0 : 1;
}
