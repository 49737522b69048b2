#include "eider/web/views/source.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace eider::views {

namespace {

constexpr std::size_t kLineShownMax = 200;
constexpr std::size_t kNamesToldMax = 8;
constexpr std::size_t kNameComparedMax = 64;

struct Line {
  std::size_t begin;
  std::size_t number;
};

Line line_at(const Place& place) {
  const std::string_view before = std::string_view(place.source->text).substr(0, place.offset);
  const std::size_t newline = before.rfind('\n');
  return {newline == before.npos ? 0 : newline + 1,
          static_cast<std::size_t>(std::ranges::count(before, '\n')) + 1};
}

/// The Levenshtein distance.
std::size_t distance(std::string_view one, std::string_view other) {
  std::vector<std::size_t> row(other.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < one.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < other.size(); ++j) {
      const std::size_t replaced = diagonal + (one[i] == other[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string to_text(const ViewError& error) {
  std::string text = error.file + ':' + std::to_string(error.line) + ':' +
                     std::to_string(error.column) + ": " + error.detail;
  if (error.line_text.empty()) {
    return text;
  }
  text += "\n  " + error.line_text + "\n  ";
  for (const char byte : std::string_view(error.line_text).substr(0, error.column - 1)) {
    text += byte == '\t' ? '\t' : ' ';
  }
  return text + '^';
}

ViewError error_at(const Place& place, std::string detail) {
  const Line line = line_at(place);
  const std::string_view rest = std::string_view(place.source->text).substr(line.begin);
  std::string_view shown = rest.substr(0, rest.find_first_of("\r\n"));
  const std::size_t column = place.offset - line.begin + 1;
  // A page in a single long line is not shown, because it would be unreadable.
  if (column > kLineShownMax) {
    shown = {};
  }
  return {place.source->name, line.number, column, std::move(detail),
          std::string(shown.substr(0, kLineShownMax))};
}

std::size_t line_of(const Place& place) {
  return line_at(place).number;
}

std::string suggestion(std::string_view wrong, std::span<const std::string> names) {
  const std::string* nearest = nullptr;
  std::size_t least = std::max<std::size_t>(2, wrong.size() / 3) + 1;
  for (const std::string& name : names) {
    if (wrong.size() > kNameComparedMax || name.size() > kNameComparedMax) {
      continue;
    }
    if (const std::size_t steps = distance(wrong, name); steps < least) {
      least = steps;
      nearest = &name;
    }
  }
  if (nearest != nullptr) {
    return "; did you mean " + *nearest + "?";
  }
  if (names.empty() || names.size() > kNamesToldMax) {
    return {};
  }
  std::string all = names.size() == 1 ? "; expected " : "; expected one of ";
  for (const std::string& name : names) {
    all += (&name == &names.front() ? "" : ", ") + name;
  }
  return all;
}

void refuse(const Place& place, std::string detail) {
  throw Refused{error_at(place, std::move(detail))};
}

}  // namespace eider::views
