#include "streams.h"

#include <eider/eider.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace {

using namespace eider;

constexpr std::size_t kPieceBytes = std::size_t{64} << 10;
constexpr std::size_t kUploadBytesMax = std::size_t{64} << 30;

/// What has come, for tests that hold it to what was sent.
struct Checksum {
  std::uint64_t bytes = 0;
  std::uint32_t crc32 = 0;
};

Task<> stream(std::uint64_t bytes, ResponseStream out) {
  const std::string piece(std::min<std::uint64_t>(bytes, kPieceBytes), 'x');
  for (std::uint64_t left = bytes; left != 0;) {
    const std::string_view next = std::string_view(piece).substr(0, left);
    co_await out.write(next);
    left -= next.size();
  }
}

Task<std::string> upload(BodyStream body) {
  std::uint64_t bytes = 0;
  while (auto part = co_await body.next()) {
    bytes += part->size();
  }
  co_return std::to_string(bytes);
}

Task<Checksum> checksum(BodyStream body) {
  Checksum seen;
  while (auto part = co_await body.next()) {
    seen.bytes += part->size();
    seen.crc32 = static_cast<std::uint32_t>(
        ::crc32_z(seen.crc32, reinterpret_cast<const Bytef*>(part->data()), part->size()));
  }
  co_return seen;
}

}  // namespace

void add_streams(App& app) {
  app.get("/stream/{bytes}", stream);
  app.post("/echo", [](Body body) {
    return Response()
        .set_static_type("application/octet-stream")
        .set_body(std::string(body.view()));
  });
  app.post("/upload", upload).body_bytes_max(kUploadBytesMax);
  app.post("/checksum", checksum).body_bytes_max(kUploadBytesMax);
}
