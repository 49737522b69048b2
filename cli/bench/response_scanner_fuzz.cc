// Fuzzes the response scanner of eider bench: it must find the same responses as the strict
// parsers, for any division of the bytes and any stored headers.
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "cli/bench/response_scanner.h"
#include "eider/client/ws/ws_opening.h"
#include "eider/core/base/assert.h"

namespace {

using namespace eider;
using namespace eider::bench;

// The limits of the scanner.
constexpr h1::ResponseLimits kLimits{.head_bytes_max = 64 * 1024, .headers_max = 256};

/// end  number of input bytes of this response and all previous ones
struct Answer {
  int code = 0;
  bool keeps_alive = false;
  std::size_t end = 0;

  bool operator==(const Answer&) const = default;
};

/// may_end  the current response ends with the connection
struct Judgement {
  std::vector<Answer> responses;
  bool is_refused = false;
  bool may_end = false;
};

/// The requests that get the responses: each has one of three methods.
class Asking {
 public:
  explicit Asking(std::uint8_t choice) : choice_(choice) {}
  [[nodiscard]] std::size_t request(std::size_t response) const {
    return (static_cast<unsigned>(choice_) >> (response % 4 * 2)) % 3;
  }
  [[nodiscard]] static Method method(std::size_t request) {
    constexpr std::array<Method, 3> kMethods = {Method::get, Method::head, Method::post};
    return kMethods[request];
  }

 private:
  std::uint8_t choice_;
};

/// Compares two independent header parsers: if both accept the headers, they must agree.
void compare_with_client(std::string_view in, const h1::ReplyHead& head) {
  const auto other = eider::detail::client::read_response_head(in);
  ensure(!other || (other->status == head.status && other->bytes == head.bytes.size() &&
                    other->fields.size() == head.fields.size()),
         "the client's reader finds the same head");
}

/// Reads the body of one response from its start, in one call.
h1::ChunkedStatus pass_over(h1::ResponseBodyReader& content, std::string_view in,
                            std::size_t& used) {
  while (true) {
    const h1::ReplyStep step = content.read(in.substr(used));
    used += step.consumed;
    if (step.status != h1::ChunkedStatus::data) {
      return step.status;
    }
  }
}

/// Returns the result of the strict parsers for the whole input.
Judgement judged(std::string_view in, const Asking& asking) {
  Judgement all;
  h1::ResponseReader reader;
  std::size_t at = 0;
  while (at < in.size()) {
    const Method method = Asking::method(asking.request(all.responses.size()));
    const h1::HeadStatus status = reader.read(in.substr(at), method, kLimits);
    all.is_refused = status == h1::HeadStatus::refused;
    if (status != h1::HeadStatus::complete) {
      return all;
    }
    const h1::ReplyHead& head = reader.head();
    compare_with_client(in.substr(at), head);
    at += head.bytes.size();
    if (head.is_interim()) {
      continue;
    }
    all.is_refused = head.status == 101;
    h1::ResponseBodyReader content(head);
    const h1::ChunkedStatus end =
        all.is_refused ? h1::ChunkedStatus::refused : pass_over(content, in, at);
    all.is_refused = end == h1::ChunkedStatus::refused;
    all.may_end = end == h1::ChunkedStatus::need_more && content.may_end();
    if (end != h1::ChunkedStatus::done) {
      return all;
    }
    all.responses.push_back({head.status, head.keeps_alive, at});
  }
  return all;
}

/// Runs the scanner over the same bytes, in pieces of the given size.
class Scanning {
 public:
  explicit Scanning(const Asking& asking) : asking_(asking) {}

  Judgement run(std::string_view in, std::size_t piece_bytes) {
    scanner_.reset();
    Judgement all;
    for (std::size_t at = 0; at < in.size() && !all.is_refused; at += piece_bytes) {
      const std::string_view piece = in.substr(at, piece_bytes);
      const std::vector<char> exact(piece.begin(), piece.end());
      take({exact.data(), exact.size()}, at, all);
    }
    all.may_end = !all.is_refused && scanner_.may_end();
    return all;
  }

 private:
  void take(std::string_view bytes, std::size_t at, Judgement& all) {
    while (!bytes.empty()) {
      const std::size_t request = asking_.request(all.responses.size());
      const Scan scan = scanner_.scan(bytes, Asking::method(request), known_[request]);
      ensure(scan.used <= bytes.size(), "it takes no more than there is");
      bytes.remove_prefix(scan.used);
      at += scan.used;
      if (scan.status == ScanStatus::refused) {
        ensure(!scanner_.why().empty(), "it says why");
        all.is_refused = true;
        return;
      }
      if (scan.status == ScanStatus::need_more) {
        ensure(bytes.empty(), "it looks at all before it asks for more");
        return;
      }
      ensure(!scanner_.is_inside(), "behind an answer another begins");
      all.responses.push_back({scan.code, scan.keeps_alive, at});
    }
  }

  Asking asking_;
  h1::ResponseReader reader_;
  Expected anything_;
  ResponseScanner scanner_{reader_, anything_};
  std::array<KnownHead, 3> known_;  // kept for the next run
};

void compare(const Judgement& strict, const Judgement& found, bool is_whole) {
  ensure(found.responses == strict.responses, "the same answers end at the same bytes");
  // Headers in pieces are parsed only when they are complete, so an error may be found later.
  ensure(found.is_refused == strict.is_refused || (!is_whole && strict.is_refused),
         "the same is refused");
  ensure(found.may_end == strict.may_end, "the same may end with its connection");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) {
    return 0;
  }
  const Asking asking(data[0]);
  const std::string_view in(reinterpret_cast<const char*>(data) + 2, size - 2);
  const Judgement strict = judged(in, asking);
  Scanning scanning(asking);
  // The second and the last run use the headers that the previous run stored.
  for (const std::size_t piece :
       {in.size(), in.size(), std::size_t{1}, std::size_t{data[1]} + 1, in.size()}) {
    compare(strict, scanning.run(in, piece), piece >= in.size());
  }
  return 0;
}
