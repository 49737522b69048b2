#include "eider/data/db/postgres/message_writer.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "eider/data/db/postgres/bytes.h"

namespace eider::db::postgres {

std::size_t MessageWriter::begin(char kind) {
  const std::size_t begun = bytes_.size();
  is_good_ = is_good_ && std::exchange(is_whole_, false);
  bytes_ += kind;
  put(std::uint32_t{0});
  return begun;
}

/// The length includes itself, but not the message type.
void MessageWriter::end(std::size_t begun) {
  const std::size_t length = bytes_.size() - begun - 1;
  is_good_ = is_good_ && length <= kBytesMax;
  std::ranges::copy(to_network(static_cast<std::uint32_t>(length)), bytes_.data() + begun + 1);
  is_whole_ = true;
}

template <class Number>
void MessageWriter::put(Number number) {
  const auto raw = to_network(number);
  bytes_.append(raw.data(), raw.size());
}

/// The server reads up to a zero byte.
void MessageWriter::put_text(std::string_view text) {
  bytes_ += text.substr(0, text.find('\0'));
  bytes_ += '\0';
}

void MessageWriter::parse(std::string_view name, std::string_view sql, std::span<const Oid> types) {
  const std::size_t begun = begin('P');
  put_text(name);
  put_text(sql);
  put(static_cast<std::uint16_t>(types.size()));
  for (const Oid type : types) {
    put(type);
  }
  end(begun);
}

void MessageWriter::bind(std::string_view statement, const Parameters& values, std::size_t first,
                         std::size_t count, Format rows) {
  const std::size_t begun = begin('B');
  put_text({});
  put_text(statement);
  put(static_cast<std::uint16_t>(count));
  for (std::size_t i = first; i < first + count; ++i) {
    put(static_cast<std::uint16_t>(values.formats()[i]));
  }
  put(static_cast<std::uint16_t>(count));
  for (std::size_t i = first; i < first + count; ++i) {
    const char* const value = values.values()[i];
    if (value == nullptr) {
      put(std::int32_t{-1});
      continue;
    }
    put(std::int32_t{values.lengths()[i]});
    bytes_.append(value, static_cast<std::size_t>(values.lengths()[i]));
  }
  put(std::uint16_t{1});
  put(static_cast<std::uint16_t>(rows));
  end(begun);
}

void MessageWriter::describe(Described what, std::string_view name) {
  const std::size_t begun = begin('D');
  bytes_ += static_cast<char>(what);
  put_text(name);
  end(begun);
}

void MessageWriter::execute() {
  const std::size_t begun = begin('E');
  put_text({});
  put(std::uint32_t{0});
  end(begun);
}

void MessageWriter::sync() {
  end(begin('S'));
}

void MessageWriter::note_left(std::size_t bytes) noexcept {
  left_ += bytes;
  if (left_ == bytes_.size()) {
    left_ = 0;
    bytes_.clear();
    if (bytes_.capacity() > kRoomKept) {
      std::string().swap(bytes_);
    }
  }
}

}  // namespace eider::db::postgres
