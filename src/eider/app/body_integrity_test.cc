// Streamed request bodies reach their handler unchanged, although handlers read them in the memory
// that the event loop receives into: fast and slow handlers, and clients that disconnect.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "eider/app/app.h"
#include "eider/core/base/failure.h"
#include "eider/io/runtime/sleep.h"
#include "eider/io/runtime/test_peer.h"
#include "eider/io/runtime/test_seeded_bytes.h"
#include "eider/io/tls/test_pki.h"
#include "eider/io/tls/tls.h"
#include "eider/server/connection_protocol.h"
#include "eider/server/http2/loop_h2.h"
#include "eider/server/server.h"

namespace eider {
namespace {

using testing::Peer;
using testing::SeededBytes;
using namespace std::chrono_literals;

constexpr std::uint64_t kUploadBytes = 3 * 1024 * 1024 + 17;

const SeededBytes& upload_bytes() {
  static const SeededBytes all(7);
  return all;
}

struct CheckedUpload {
  std::uint64_t bytes = 0;
  std::uint64_t wrong = 0;
};

/// Checks each part when it arrives; at `waits` of 4 parts, sleeps and checks the part again.
Task<CheckedUpload> check_upload(std::uint32_t stream, std::uint32_t waits, BodyStream body) {
  CheckedUpload checked;
  std::uint32_t parts = 0;
  while (auto part = co_await body.next()) {
    checked.wrong += upload_bytes().is_piece(*part, stream, checked.bytes) ? 0 : 1;
    if (parts++ % 4 < waits) {
      co_await sleep_for(1ms);
      checked.wrong += upload_bytes().is_piece(*part, stream, checked.bytes) ? 0 : 1;
    }
    checked.bytes += part->size();
  }
  co_return checked;
}

struct UploadAdmission {};

/// A guard that runs before the body is read. The body is then read in one piece.
Task<Result<UploadAdmission>> admit_upload(const Request& /*request*/) {
  co_await sleep_for(1ms);
  co_return UploadAdmission();
}

CheckedUpload check_whole(std::uint32_t stream, std::uint32_t /*waits*/, const Request& request) {
  const std::string_view body = request.body();
  return {.bytes = body.size(), .wrong = upload_bytes().is_piece(body, stream, 0) ? 0U : 1U};
}

Task<std::string> refuse_upload(BodyStream body) {
  (void)co_await body.next();
  throw Failure(Error(403, "No uploads."));
}

std::string upload_path(std::uint32_t stream, std::uint32_t waits) {
  return "/check/" + std::to_string(stream) + "/" + std::to_string(waits);
}

std::string whole_path(std::uint32_t stream) {
  return "/whole" + upload_path(stream, 0);
}

std::string upload_head(const std::string& path, bool is_chunked) {
  return "POST " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" +
         (is_chunked ? "Transfer-Encoding: chunked"
                     : "Content-Length: " + std::to_string(kUploadBytes)) +
         "\r\n\r\n";
}

/// Sends up to `most` bytes of a body, in pieces of odd sizes, below and above the size from which
/// bytes are lent. Returns false if the server accepts no more.
bool send_upload(const Peer& peer, std::uint32_t stream, bool is_chunked, std::uint64_t most) {
  constexpr std::array<std::uint64_t, 8> kPieces{150'001, 16'383, 16'384, 1,
                                                 70'001,  16'385, 65'536, 199'999};
  std::size_t turn = stream;
  for (std::uint64_t at = 0; at < most; ++turn) {
    const auto piece = static_cast<std::size_t>(std::min(kPieces.at(turn % 8), most - at));
    std::string text(upload_bytes().piece(stream, at, piece));
    if (is_chunked) {
      std::array<char, 20> size{};
      std::snprintf(size.data(), size.size(), "%zx\r\n", piece);
      text = size.data() + text + "\r\n";
    }
    if (!peer.send(text)) {
      return false;
    }
    at += piece;
  }
  return !is_chunked || most < kUploadBytes || peer.send("0\r\n\r\n");
}

void expect_checked(const SocketAddress& at, const std::string& path, std::uint32_t stream,
                    bool is_chunked) {
  const Peer peer(at);
  EXPECT_TRUE(peer.send(upload_head(path, is_chunked)) &&
              send_upload(peer, stream, is_chunked, kUploadBytes));
  const std::string response = peer.receive_all();
  EXPECT_TRUE(response.ends_with("{\"bytes\":" + std::to_string(kUploadBytes) + ",\"wrong\":0}"))
      << path << (is_chunked ? " chunked: " : ": ") << response;
}

/// HTTP/2 for a server that the app does not run itself.
class UploadsH2 final : public ConnectionProtocol {
 public:
  [[nodiscard]] std::string_view alpn() const noexcept override { return "h2"; }
  [[nodiscard]] std::unique_ptr<ProtocolFactory> on_loop(
      detail::server::LoopContext& context) const override {
    return std::make_unique<detail::http2::LoopH2>(context, Http2Options{});
  }
};

using UploadClient = std::function<void(const SocketAddress&)>;

class BodyIntegrity : public ::testing::TestWithParam<Backend> {
 protected:
  BodyIntegrity() {
    app_.post("/check/{stream}/{waits}", check_upload).body_bytes_max(2 * kUploadBytes);
    Routes whole = app_.group("/whole");
    whole.guard(admit_upload);
    whole.post("/check/{stream}/{waits}", check_whole).body_bytes_max(2 * kUploadBytes);
    app_.post("/refuse", refuse_upload).body_bytes_max(2 * kUploadBytes);
    app_.post("/small/{stream}/{waits}", check_upload).body_bytes_max(kUploadBytes / 2);
    options_.port = 0;
    options_.threads = 1;
    options_.backend = GetParam();
  }

  [[nodiscard]] bool start() {
    service_ = app_.make_service().value();
    server_ = std::make_unique<Server>(*service_, options_);
    const auto started = server_->start();
    if (!started) {
      server_.reset();
      EXPECT_EQ(GetParam(), Backend::io_uring) << started.error().detail();
    }
    return started.has_value();
  }
  /// Runs the clients concurrently.
  void serve(const std::vector<UploadClient>& clients) {
    if (!start()) {
      GTEST_SKIP() << "this kernel has no io_uring";
    }
    const SocketAddress at = SocketAddress::parse("127.0.0.1", server_->port()).value();
    std::vector<std::jthread> threads;
    threads.reserve(clients.size());
    for (const auto& client : clients) {
      threads.emplace_back([&client, &at] { client(at); });
    }
  }
  /// Enables TLS. Clients must use `protocol`.
  void encrypt(const std::string& protocol) {
    using detail::tls::make_test_certificate;
    const auto authority = make_test_certificate({.name = "Authority", .is_authority = true});
    TlsOptions tls;
    tls.certificate = files_.write(
        "a", make_test_certificate({.name = "test", .names = "IP:127.0.0.1"}, &authority),
        &authority);
    tls.protocols = {protocol};
    files_.write("ca.pem", detail::tls::to_pem(*authority.certificate));
    options_.seals = make_server_tls(tls, nullptr).value();
    options_.is_secure = true;
  }
  /// Sends six concurrent uploads with curl: over TLS by one process, otherwise by six, because
  /// curl 7.88 cannot reuse an HTTP/2 connection without TLS.
  void upload_by_curl(const std::string& protocol, const std::string& origin) {
    const std::string curl = "curl -sS --max-time 50 --no-progress-meter ";
    const std::string next = options_.is_secure ? " --next -sS " : " & " + curl;
    std::string command = curl + (options_.is_secure ? "--parallel " : "");
    for (std::uint32_t stream = 0; stream < 6; ++stream) {
      const std::string name = files_.path("body" + std::to_string(stream));
      std::ofstream file(name, std::ios::binary);
      for (std::uint64_t at = 0; at < kUploadBytes;) {
        const auto piece = static_cast<std::size_t>(
            std::min<std::uint64_t>(kUploadBytes - at, SeededBytes::kPieceBytesMax));
        file << upload_bytes().piece(stream, at, piece);
        at += piece;
      }
      command += (stream == 0 ? "" : next) + protocol + " --cacert " + files_.path("ca.pem") +
                 " -o " + name + ".out --data-binary @" + name + " " + origin + ":" +
                 std::to_string(server_->port()) + upload_path(stream, stream % 5);
    }
    EXPECT_EQ(std::system((command + "; wait").c_str()), 0) << command;
    for (std::uint32_t stream = 0; stream < 6; ++stream) {
      std::string response;
      std::getline(std::ifstream(files_.path("body" + std::to_string(stream) + ".out")), response);
      EXPECT_EQ(response, "{\"bytes\":" + std::to_string(kUploadBytes) + ",\"wrong\":0}")
          << protocol << ", upload " << stream;
    }
  }

  // Removed last: ThreadSanitizer does not see that io_uring closes sockets, and confuses the
  // descriptor of the directory with that of a socket of the server's threads.
  detail::tls::TestFiles files_;
  App app_;
  ServerOptions options_;
  std::unique_ptr<RequestService> service_;
  std::unique_ptr<Server> server_;
};

TEST_P(BodyIntegrity, of_concurrent_fast_and_slow_handlers) {
  std::vector<UploadClient> clients;
  for (std::uint32_t stream = 0; stream < 12; ++stream) {
    clients.emplace_back([stream](const SocketAddress& at) {
      expect_checked(at, upload_path(stream, stream % 5), stream, stream % 2 != 0);
      expect_checked(at, upload_path(stream, (stream + 2) % 5), stream, stream % 2 == 0);
      expect_checked(at, whole_path(stream), stream, stream % 2 == 0);
    });
  }
  serve(clients);
}

TEST_P(BodyIntegrity, of_more_slow_handlers_than_blocks_are_lent) {
  std::vector<UploadClient> clients;
  for (std::uint32_t stream = 0; stream < 40; ++stream) {
    clients.emplace_back([stream](const SocketAddress& at) {
      expect_checked(at, upload_path(stream, 4), stream, stream % 2 != 0);
    });
  }
  serve(clients);
}

TEST_P(BodyIntegrity, while_clients_disconnect_and_handlers_refuse) {
  std::vector<UploadClient> clients;
  for (std::uint32_t stream = 0; stream < 4; ++stream) {
    clients.emplace_back([stream](const SocketAddress& at) {
      expect_checked(at, upload_path(stream, stream), stream, false);
    });
    clients.emplace_back([stream](const SocketAddress& at) {
      for (std::uint64_t most = 20'000; most < kUploadBytes; most *= 3) {
        Peer peer(at);
        (void)peer.send(upload_head(upload_path(stream, 4), false));
        (void)send_upload(peer, stream, false, most);
        peer.reset();
      }
    });
    clients.emplace_back([stream](const SocketAddress& at) {
      const Peer peer(at);
      (void)peer.send(upload_head("/refuse", stream % 2 != 0));
      (void)send_upload(peer, stream, stream % 2 != 0, kUploadBytes);
    });
  }
  serve(clients);
}

TEST_P(BodyIntegrity, bodies_over_their_limit_get_413) {
  serve({[](const SocketAddress& at) {
    const Peer peer(at);
    EXPECT_TRUE(peer.send(upload_head("/small/1/0", true)));
    (void)send_upload(peer, 1, true, kUploadBytes);
    EXPECT_TRUE(peer.receive_all().starts_with("HTTP/1.1 413"));
  }});
}

TEST_P(BodyIntegrity, over_http2) {
  options_.protocol = std::make_shared<UploadsH2>();
  if (!start()) {
    GTEST_SKIP() << "this kernel has no io_uring";
  }
  upload_by_curl("--http2-prior-knowledge", "http://127.0.0.1");
}

TEST_P(BodyIntegrity, over_tls) {
  encrypt("http/1.1");
  if (!start()) {
    GTEST_SKIP() << "this kernel has no io_uring";
  }
  upload_by_curl("--http1.1", "https://127.0.0.1");
}

TEST_P(BodyIntegrity, over_http2_with_tls) {
  encrypt("h2");
  options_.protocol = std::make_shared<UploadsH2>();
  if (!start()) {
    GTEST_SKIP() << "this kernel has no io_uring";
  }
  upload_by_curl("--http2", "https://127.0.0.1");
}

INSTANTIATE_TEST_SUITE_P(Backends, BodyIntegrity,
                         ::testing::Values(Backend::epoll, Backend::io_uring),
                         [](const auto& backend) {
                           return backend.param == Backend::epoll ? "epoll" : "io_uring";
                         });

}  // namespace
}  // namespace eider
