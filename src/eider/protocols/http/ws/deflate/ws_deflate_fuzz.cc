// permessage-deflate: for any input, the output does not exceed the limit, and cutting the input
// does not change the result. The output can be sent and received again.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>

#include "eider/core/base/assert.h"
#include "eider/protocols/http/ws/deflate_codec.h"

namespace {

using namespace eider;
using namespace eider::ws;

constexpr std::size_t kBytesMax = 50'000;

DeflateTerms terms_of(unsigned char how) {
  const Takeover takeover = (how & 1U) != 0 ? Takeover::dropped : Takeover::kept;
  const auto bits = static_cast<std::uint8_t>(9 + (how >> 1U) % 7);
  return {takeover, takeover, bits, bits};
}

/// Reads the same message twice, so that the second one uses the context of the first.
Inflated inflate_twice(MessageCodec& codec, std::string_view payload, std::size_t piece_bytes,
                       Buffer& out) {
  Inflated status = Inflated::done;
  for (int message = 0; message < 2 && status == Inflated::done; ++message) {
    out.clear();
    for (std::string_view left = payload; !left.empty() && status == Inflated::done;) {
      const std::string_view piece = left.substr(0, piece_bytes);
      left.remove_prefix(piece.size());
      status = codec.inflate(piece, kBytesMax - out.size(), out);
    }
    if (status == Inflated::done) {
      status = codec.inflate_end(kBytesMax - out.size(), out);
    }
    ensure(out.size() <= kBytesMax, "no more is made than is allowed");
  }
  return status;
}

void check_that_it_comes_back(const DeflateTerms& terms, std::string_view message) {
  const auto server = make_deflate_codec(Side::server, terms, {.bytes_min = 0});
  const auto client = make_deflate_codec(Side::client, terms, {});
  for (int round = 0; round < 2; ++round) {
    Buffer sent;
    if (server->deflate(message, sent) == Deflated::declined) {
      continue;
    }
    Buffer back;
    const bool is_read = client->inflate(sent.view(), message.size(), back) == Inflated::done &&
                         client->inflate_end(message.size() - back.size(), back) == Inflated::done;
    ensure(is_read && back.view() == message, "what was sent comes back");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) {
    return 0;
  }
  const DeflateTerms terms = terms_of(data[0]);
  const std::string_view payload(reinterpret_cast<const char*>(data) + 2, size - 2);
  Buffer whole;
  Buffer pieces;
  const auto codec = make_deflate_codec(Side::server, terms, {});
  const auto same = make_deflate_codec(Side::server, terms, {});
  const Inflated status = inflate_twice(*codec, payload, payload.size() + 1, whole);
  const Inflated status_of_pieces = inflate_twice(*same, payload, 1U + data[1], pieces);
  // With a smaller window, whether zlib detects a distance that is too far depends on how the
  // payload is cut.
  const bool must_agree = terms.client_window_bits == kWindowBitsMax;
  ensure(status == status_of_pieces || !must_agree, "pieces end as the whole does");
  ensure(status != Inflated::done || status_of_pieces != Inflated::done ||
             whole.view() == pieces.view(),
         "pieces make the whole");
  check_that_it_comes_back(terms, whole.view());
  return 0;
}
