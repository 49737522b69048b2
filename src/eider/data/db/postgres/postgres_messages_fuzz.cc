// Splits a server's bytes at any position, and reads them as each type of message.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/core/base/assert.h"
#include "eider/data/db/failure.h"
#include "eider/data/db/postgres/messages.h"
#include "eider/data/db/postgres/postgres_error.h"
#include "eider/data/db/postgres/result_rows.h"

namespace {

using namespace eider;
using namespace eider::db;
using namespace eider::db::postgres;

using Messages = std::vector<std::pair<char, std::string>>;

Messages cut(std::string_view bytes, std::size_t at_a_time) {
  MessageReader reader;
  Messages messages;
  while (!bytes.empty()) {
    const std::span<char> room = reader.room();
    ensure(!room.empty(), "there is room for more");
    const std::size_t came = std::min({at_a_time, bytes.size(), room.size()});
    std::ranges::copy(bytes.substr(0, came), room.begin());
    reader.note_came(came);
    bytes.remove_prefix(came);
    while (const auto message = reader.next()) {
      messages.emplace_back(message->kind, message->body);
    }
  }
  return messages;
}

class Dropped final : public RowSink {
 public:
  void begin(RowShape& shape) override { width_ = shape.columns().size(); }
  void add(std::span<const Cell> cells) override {
    ensure(cells.size() == width_, "a row has as many cells as there are columns");
  }

 private:
  std::size_t width_ = 0;
};

void read(const Messages& messages) {
  ResultRows rows;
  Dropped dropped;
  for (const auto& [kind, body] : messages) {
    try {
      (void)failure_of(read_refusal(body), "a statement");
      (void)rows_of(read_tag(body), 1);
      if (kind == 'T') {
        rows.begin();
        rows.describe(body, nullptr);
      } else if (kind == 'D') {
        rows.take(body, nullptr, &dropped);
      } else if (kind == 't') {
        (void)read_types(body);
      } else if (kind == 'A') {
        (void)read_notice(body);
      } else {
        (void)read_status(body);
      }
    } catch (const db::Failure&) {  // invalid message
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Messages whole = cut(bytes, bytes.size());
  ensure(whole == cut(bytes, 1), "messages are the same wherever they are cut");
  ensure(whole == cut(bytes, 7), "messages are the same wherever they are cut");
  read(whole);
  return 0;
}
