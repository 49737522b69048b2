// Decodes values as a server may send them, in both formats, and encodes the results again.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/core/base/assert.h"
#include "eider/data/db/failure.h"
#include "eider/data/db/postgres/codec.h"
#include "eider/data/db/postgres/parameters.h"
#include "eider/data/db/postgres/types.h"

namespace {

using namespace eider;
using namespace eider::db;
using namespace eider::db::postgres;

/// Each type with its array type. Types before kKeptCount are encoded as they were decoded; times
/// and JSON have a different text in the server's format.
constexpr std::size_t kKeptCount = 10;
constexpr std::array<std::pair<Oid, Oid>, 17> kTypes = {{{kBool, 1000},
                                                         {kBytea, 1001},
                                                         {kInt2, 1005},
                                                         {kInt4, 1007},
                                                         {kText, 1009},
                                                         {kInt8, 1016},
                                                         {kFloat4, 1021},
                                                         {kFloat8, 1022},
                                                         {kNumeric, 1231},
                                                         {kUuid, 2951},
                                                         {kDate, 1182},
                                                         {kTime, 1183},
                                                         {kTimestamp, 1115},
                                                         {kTimestampTz, 1185},
                                                         {kJson, 199},
                                                         {kJsonb, 3807},
                                                         {kVarchar, 1015}}};

bool is_same(const Cell& left, const Cell& right) {
  if (left.kind != right.kind || (left.list == nullptr) != (right.list == nullptr)) {
    return false;
  }
  if (left.list != nullptr) {
    bool is_all = left.list->elements.size() == right.list->elements.size();
    for (std::size_t i = 0; is_all && i < left.list->elements.size(); ++i) {
      is_all = is_same(left.list->elements[i], right.list->elements[i]);
    }
    return is_all;
  }
  const bool is_same_real =
      left.real == right.real || (std::isnan(left.real) && std::isnan(right.real));
  return left.integer == right.integer && is_same_real && left.bytes == right.bytes;
}

Value value_of_cell(const Cell& cell) {
  Value value = cell.copy();
  if (cell.list != nullptr) {
    std::vector<Value> elements;
    for (const Cell& element : cell.list->elements) {
      elements.push_back(element.copy());
    }
    value.set_elements(std::move(elements));
  }
  return value;
}

std::optional<Cell> read(Oid type, Format format, std::string_view bytes, CellRoom& room) {
  try {
    return read_cell(type, format, bytes, room);
  } catch (const db::Failure& failure) {
    ensure(failure.kind() == FailureKind::row, "bytes that are no such value are told so");
    return std::nullopt;
  }
}

void send_back(Oid type, const Cell& cell) {
  const Value value = value_of_cell(cell);
  Parameters parameters;
  parameters.clear(1);
  try {
    parameters.add({&value, 1}, {&type, 1});
  } catch (const db::Failure& failure) {  // a zero byte in a text
    ensure(failure.kind() == FailureKind::values, "values that do not fit are told so");
    return;
  }
  const std::string_view sent(parameters.values()[0],
                              static_cast<std::size_t>(parameters.lengths()[0]));
  CellRoom room;
  const auto format = static_cast<Format>(parameters.formats()[0]);
  const std::optional<Cell> again = read(type, format, sent, room);
  ensure(again && is_same(cell, *again), "what is sent back is what was read");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) {
    return 0;
  }
  const std::size_t index = data[0] % kTypes.size();
  const bool is_array = (data[1] & 2U) != 0;
  const Oid type = is_array ? kTypes[index].second : kTypes[index].first;
  const Format format = (data[1] & 1U) != 0 ? Format::binary : Format::text;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  CellRoom room;
  const std::optional<Cell> cell = read(type, format, bytes, room);
  if (cell && index < kKeptCount && format == Format::binary) {
    send_back(type, *cell);
  }
  return 0;
}
