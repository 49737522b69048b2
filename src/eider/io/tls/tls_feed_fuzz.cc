// Any ciphertext, for a server and for a client; and a real handshake in which some bytes are
// changed and cut. Forged data is never read, and nothing crashes.
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "eider/core/base/assert.h"
#include "eider/io/tls/tls.h"
#include "eider/io/tls/tls_client.h"

namespace {

using namespace eider;

constexpr std::string_view kSecret = "what the client has said";

std::unique_ptr<Seal> make_server() {
  static const std::shared_ptr<SealMaker> maker = [] {
    TlsOptions options;
    options.protocols = {"h2", "http/1.1"};
    return make_server_tls(options, nullptr).value();
  }();
  return maker->make();
}

std::unique_ptr<Seal> make_client() {
  static const std::shared_ptr<TlsClientContext> context = [] {
    TlsClientOptions options;
    options.verify = TlsVerify::nothing;
    options.trusts_system = false;
    return TlsClientContext::make(options).value();
  }();
  return context->make_seal({.host = "localhost", .protocols = {"h2"}}).value();
}

std::string read_all(Seal& seal, Buffer& wire) {
  std::string plain;
  std::array<char, 512> room{};
  while (const std::size_t count = seal.read(room, wire)) {
    plain.append(room.data(), count);
  }
  return plain;
}

/// Feeds pieces; the first byte of each is its length.
void feed_pieces(Seal& seal, std::string_view bytes) {
  Buffer wire;
  seal.start(wire);
  while (!bytes.empty() && seal.state() != SealState::failed) {
    const std::size_t count = static_cast<unsigned char>(bytes.front()) % 64 + 1;
    static_cast<void>(seal.feed(bytes.substr(0, count), wire));
    bytes.remove_prefix(std::min(count, bytes.size()));
  }
  ensure(read_all(seal, wire).empty(), "nobody has encrypted anything");
}

/// Changes bytes in transit: three bytes of the input define the next position and the change.
class Tamperer {
 public:
  explicit Tamperer(std::string_view plan) : plan_(plan) {}

  void pass(Buffer& from, Seal& to, Buffer& back) {
    for (std::size_t at = 0; at < from.size(); ++at, ++passed_) {
      if (plan_.size() >= 3 && passed_ == next()) {
        from.data()[at] = static_cast<char>(from.data()[at] ^ plan_[2]);
        has_changed_ = has_changed_ || plan_[2] != 0;
        plan_.remove_prefix(3);
        passed_ = 0;
      }
    }
    const std::size_t cut = from.size() / 2;
    static_cast<void>(to.feed(from.view().substr(0, cut), back));
    static_cast<void>(to.feed(from.view().substr(cut), back));
    from.clear();
  }
  [[nodiscard]] bool has_changed() const { return has_changed_; }

 private:
  [[nodiscard]] std::size_t next() const {
    return static_cast<unsigned char>(plan_[0]) * 8U + static_cast<unsigned char>(plan_[1]) % 8U;
  }
  std::string_view plan_;
  std::size_t passed_ = 0;
  bool has_changed_ = false;
};

void tamper(std::string_view plan) {
  const auto server = make_server();
  const auto client = make_client();
  Buffer to_server;
  Buffer to_client;
  Tamperer tamperer(plan);
  client->start(to_server);
  bool has_written = false;
  std::string heard;
  while (!to_server.empty() || !to_client.empty()) {
    tamperer.pass(to_server, *server, to_client);
    heard += read_all(*server, to_client);
    tamperer.pass(to_client, *client, to_server);
    read_all(*client, to_server);
    if (client->state() == SealState::open && !has_written) {
      has_written = client->write(kSecret, to_server);
    }
  }
  ensure(kSecret.starts_with(heard), "what was read was written");
  ensure(tamperer.has_changed() || heard == kSecret, "without changes all arrives");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 3) {
    case 0:
      feed_pieces(*make_server(), rest);
      break;
    case 1:
      feed_pieces(*make_client(), rest);
      break;
    default:
      tamper(rest);
  }
  return 0;
}
