#include "cli/dev/include_check.h"

#include <sstream>
#include <system_error>
#include <utility>

#include "cli/files.h"
#include "cli/patterns.h"
#include "eider/core/json/read.h"
#include "eider/core/json/value.h"

namespace eider::dev {

namespace {

namespace fs = std::filesystem;

std::string text_of_member(const json::Value& object, std::string_view name) {
  const json::Value* const member = object.find(name);
  return member != nullptr && member->is_string() ? member->text() : std::string();
}

/// Returns CMake's header without the includes that `eider dev` adds (configure.cc).
std::string without_additions(const std::string& header) {
  std::istringstream lines(header);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    if (!line.contains("_precompiled.h")) {
      text.append(line).append("\n");
    }
  }
  return text;
}

/// Returns the object of a command: "shop.dir/words.cc.o", relative to the build directory.
std::string object_of(const std::string& command) {
  const PatternMatch found = find_pattern(command, R"( -o (\S+))");
  return found.empty() ? std::string() : found[1];
}

bool is_below(const fs::path& file, const fs::path& folder) {
  const fs::path below = file.lexically_relative(folder);
  return !below.empty() && *below.begin() != "..";
}

}  // namespace

std::vector<std::string> check_words(const std::string& command, const fs::path& directory) {
  constexpr const char* kPrecompiled =
      R"( -Xclang -include-pch -Xclang \S+| (-Xclang )?-include (-Xclang )?\S*cmake_pch\.hxx)"
      R"(| -Winvalid-pch| -fpch-instantiate-templates| -o \S+)";
  const PatternMatch found = find_pattern(command, R"((/\S*/cmake_pch\.hxx)(?=\s))");
  if (found.empty()) {
    return {};
  }
  const fs::path header = found[1];
  const fs::path shown = header.parent_path() / "without_additions.h";
  if (!write_if_new(shown, without_additions(read_text_file(header).value_or("")))) {
    return {};
  }
  const std::string checking = replace_pattern(command, kPrecompiled, "") +
                               " -fsyntax-only -include '" + shown.string() + "'";
  return {"/bin/sh", "-c", "cd '" + directory.string() + "' && exec nice -n 5 " + checking};
}

std::vector<std::string> IncludeCheck::next() {
  std::vector<std::string> words;
  const auto commands =
      json::read<json::Value>(read_text_file(build_ / "compile_commands.json").value_or(""));
  if (!commands || !commands->is_array()) {
    return words;
  }
  // The newest first, because that source was edited last.
  made_ = Time::min();
  for (const json::Value& each : commands->elements()) {
    const fs::path file = text_of_member(each, "file");
    const std::string command = text_of_member(each, "command");
    const fs::path object = build_ / object_of(command);
    if (!is_below(file, source_) || is_below(file, build_) || !is_due(object)) {
      continue;
    }
    auto checking = check_words(command, text_of_member(each, "directory"));
    if (!checking.empty()) {
      words = std::move(checking);
      file_ = file;
      object_ = object;
      std::error_code missing;
      made_ = fs::last_write_time(object, missing);
    }
  }
  return words;
}

/// Returns whether the object is newer than its last check, and than the last object that next()
/// returned.
bool IncludeCheck::is_due(const fs::path& object) const {
  std::error_code missing;
  const Time made = fs::last_write_time(object, missing);
  if (missing || !fs::is_regular_file(object, missing) || made <= made_) {
    return false;
  }
  const Time checked = fs::last_write_time(object.string() + ".includes", missing);
  const auto bad = bad_.find(object);
  return (missing || checked < made) && (bad == bad_.end() || bad->second != made);
}

std::string IncludeCheck::file() const {
  return file_.lexically_relative(source_).string();
}

void IncludeCheck::note(bool is_good) {
  if (!is_good) {
    bad_[object_] = made_;
    return;
  }
  const std::string stamp = object_.string() + ".includes";
  std::error_code failed;
  if (write_if_new(stamp, "checked\n")) {
    fs::last_write_time(stamp, made_, failed);
  }
}

}  // namespace eider::dev
