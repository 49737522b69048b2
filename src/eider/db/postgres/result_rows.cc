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

void ResultShape::read(const PGresult& result) {
  const std::span<std::string_view> columns =
      rows_.make_columns(static_cast<std::size_t>(PQnfields(&result)));
  codings_.clear();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const int column = static_cast<int>(i);
    columns[i] = PQfname(&result, column);
    codings_.push_back({PQftype(&result, column),
                        PQfformat(&result, column) == 1 ? Format::binary : Format::text});
  }
}

void ResultShape::keep(const PGresult& description, Format format) {
  read(description);
  names_.assign(rows_.columns().begin(), rows_.columns().end());
  std::ranges::copy(names_, rows_.make_columns(names_.size()).begin());
  for (Coding& coding : codings_) {
    coding.format = format;
  }
}

bool ResultShape::is_of(const PGresult& result) const noexcept {
  const int width = PQnfields(&result);
  if (codings_.size() != static_cast<std::size_t>(width)) {
    return false;
  }
  for (int i = 0; i < width; ++i) {
    if (codings_[static_cast<std::size_t>(i)].type != PQftype(&result, i)) {
      return false;
    }
  }
  return true;
}

// The server never changes what the rows of a prepared statement are: it refuses to run one whose
// tables have changed so. A pooler that prepares it anew elsewhere does not: no value is read as
// one of another type.
void ResultRows::hand_on(const PGresult& result, ResultShape* shape, RowSink& sink) {
  const int width = PQnfields(&result);
  if (shape == nullptr || !shape->is_of(result)) {
    shape = &own_shape_;
    shape->read(result);
  }
  sink.begin(shape->rows_);
  const std::span<const ResultShape::Coding> codings = shape->codings_;
  cells_.resize(codings.size());
  rooms_.resize(std::max(rooms_.size(), codings.size()));
  const std::span<Cell> cells = cells_;
  const std::span<CellRoom> rooms = rooms_;
  const int height = PQntuples(&result);
  for (int row = 0; row < height; ++row) {
    for (int i = 0; i < width; ++i) {
      const auto index = static_cast<std::size_t>(i);
      const std::string_view bytes = bytes_at(result, row, i);
      const bool is_null = bytes.empty() && PQgetisnull(&result, row, i) == 1;
      const ResultShape::Coding coding = codings[index];
      cells[index] = is_null ? Cell{} : read_cell(coding.type, coding.format, bytes, rooms[index]);
    }
    sink.add(cells);
  }
}

}  // namespace eider::db::postgres
