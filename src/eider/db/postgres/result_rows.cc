#include "eider/db/postgres/result_rows.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace eider::db::postgres {
namespace {

std::string_view bytes_at(const PGresult& result, int row, int column) {
  return {PQgetvalue(&result, row, column),
          static_cast<std::size_t>(PQgetlength(&result, row, column))};
}

}  // namespace

std::int64_t rows_of(const PGresult& result) noexcept {
  if (std::string_view(PQcmdStatus(const_cast<PGresult*>(&result))).starts_with("SELECT ")) {
    return PQntuples(&result);
  }
  const std::string_view text = PQcmdTuples(const_cast<PGresult*>(&result));
  std::int64_t rows = 0;
  (void)std::from_chars(text.data(), text.data() + text.size(), rows);
  return rows;
}

void ResultRows::hand_on(const PGresult& result, RowSink& sink) {
  const int width = PQnfields(&result);
  columns_.resize(static_cast<std::size_t>(width));
  codings_.resize(columns_.size());
  for (int i = 0; i < width; ++i) {
    const auto index = static_cast<std::size_t>(i);
    columns_[index] = PQfname(&result, i);
    codings_[index] = {PQftype(&result, i),
                       PQfformat(&result, i) == 1 ? Format::binary : Format::text};
  }
  sink.begin(columns_);
  cells_.resize(columns_.size());
  rooms_.resize(std::max(rooms_.size(), columns_.size()));
  const int height = PQntuples(&result);
  for (int row = 0; row < height; ++row) {
    for (int i = 0; i < width; ++i) {
      const auto index = static_cast<std::size_t>(i);
      const Coding& coding = codings_[index];
      cells_[index] =
          PQgetisnull(&result, row, i) == 1
              ? Cell{}
              : read_cell(coding.type, coding.format, bytes_at(result, row, i), rooms_[index]);
    }
    sink.add(cells_);
  }
}

}  // namespace eider::db::postgres
