#include "eider/testkit/snapshot.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "eider/core/base/failure.h"
#include "eider/core/base/read_file.h"
#include "eider/core/base/text.h"

namespace eider {

namespace {

using Lines = std::vector<std::string_view>;

constexpr std::size_t kContextLines = 3;
constexpr std::size_t kShownLinesMax = 40;  // of each side

Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    lines.push_back(take_until(text, "\n"));
  }
  return lines;
}

void add_lines(std::string& out, std::span<const std::string_view> lines, std::string_view mark) {
  for (const std::string_view line : lines.first(std::min(lines.size(), kShownLinesMax))) {
    out.append("\n").append(mark).append(line);
  }
  if (lines.size() > kShownLinesMax) {
    out.append("\n").append(mark).append("…");
  }
}

/// Returns the lines that differ, without equal lines at the beginning and the end.
std::string difference(std::string_view kept, std::string_view given) {
  const Lines old_lines = lines_of(kept);
  const Lines new_lines = lines_of(given);
  const std::size_t shorter = std::min(old_lines.size(), new_lines.size());
  std::size_t front = 0;
  while (front < shorter && old_lines[front] == new_lines[front]) {
    ++front;
  }
  std::size_t back = 0;
  while (back < shorter - front &&
         old_lines[old_lines.size() - 1 - back] == new_lines[new_lines.size() - 1 - back]) {
    ++back;
  }
  const std::span old_all(old_lines);
  const std::span new_all(new_lines);
  const std::size_t ahead = std::min(front, kContextLines);
  std::string text = " from line " + std::to_string(front + 1) + " on:";
  add_lines(text, old_all.subspan(front - ahead, ahead), "  ");
  add_lines(text, old_all.subspan(front, old_lines.size() - front - back), "- ");
  add_lines(text, new_all.subspan(front, new_lines.size() - front - back), "+ ");
  add_lines(text, old_all.last(back).first(std::min(back, kContextLines)), "  ");
  return text;
}

void write(std::string_view text, const std::filesystem::path& file) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << text;
  if (!out.flush()) {
    throw Failure(Error::internal("cannot write the snapshot " + file.string()));
  }
}

bool is_set(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): tests set none
  return value != nullptr && *value != '\0';
}

SnapshotMode mode_of_environment() {
  if (is_set("CI")) {
    return SnapshotMode::compare;
  }
  // NOLINTNEXTLINE(concurrency-mt-unsafe): as above
  const char* const said = std::getenv("EIDER_SNAPSHOTS");
  return said != nullptr && std::string_view(said) == "write" ? SnapshotMode::write_all
                                                              : SnapshotMode::write_missing;
}

}  // namespace

void check_snapshot(std::string_view text, const std::filesystem::path& file, SnapshotMode mode) {
  const auto kept = detail::base::read_file(file.string());
  if (!kept) {
    if (mode == SnapshotMode::compare) {
      throw Failure(Error::internal(
          "the snapshot does not exist: " + file.string() +
          ". Run the test without the environment variable CI, and commit the file"));
    }
    write(text, file);
    return;
  }
  if (*kept == text) {
    return;
  }
  if (mode == SnapshotMode::write_all) {
    write(text, file);
    return;
  }
  throw Failure(Error::internal("the text differs from " + file.string() + difference(*kept, text) +
                                "\n(EIDER_SNAPSHOTS=write accepts the lines marked with +)"));
}

void expect_snapshot(std::string_view text, std::string_view name,
                     const std::source_location& where) {
  const bool is_name =
      !name.empty() && name.front() != '.' && std::ranges::all_of(name, [](char byte) {
        return is_letter(byte) || is_digit(byte) || byte == '.' || byte == '-' || byte == '_';
      });
  if (!is_name) {
    throw Failure(Error::internal(
        "invalid snapshot name (use letters, digits, '.', '-' and '_'): " + std::string(name)));
  }
  check_snapshot(text, std::filesystem::path(where.file_name()).parent_path() / "snapshots" / name,
                 mode_of_environment());
}

}  // namespace eider
