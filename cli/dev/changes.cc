#include "cli/dev/changes.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

namespace eider::dev {

namespace {

using namespace std::string_view_literals;

constexpr std::array kSources{".cc"sv,  ".cpp"sv, ".cxx"sv,  ".c"sv,    ".h"sv,   ".hh"sv,
                              ".hpp"sv, ".hxx"sv, ".ipp"sv,  ".inc"sv,  ".tcc"sv, ".in"sv,
                              ".S"sv,   ".sql"sv, ".lock"sv, ".cmake"sv};
constexpr std::array kSettings{".toml"sv, ".ini"sv, ".yaml"sv, ".yml"sv, ".env"sv};
constexpr std::array kPages{".html"sv, ".htm"sv,  ".po"sv,    ".js"sv,         ".mjs"sv,  ".svg"sv,
                            ".png"sv,  ".jpg"sv,  ".jpeg"sv,  ".webp"sv,       ".avif"sv, ".gif"sv,
                            ".ico"sv,  ".woff"sv, ".woff2"sv, ".webmanifest"sv};

bool is_one_of(std::span<const std::string_view> all, std::string_view extension) {
  return std::ranges::find(all, extension) != all.end();
}

}  // namespace

ChangeKind kind_of(const std::filesystem::path& file) {
  const std::string name = file.filename();
  // Editors keep what they work on beside the file: .#a.cc, #a.cc#, .a.cc.swp, a.cc~.
  if (name.empty() || name.starts_with('.') || name.starts_with('#') || name.ends_with('~')) {
    return ChangeKind::none;
  }
  const std::string extension = file.extension();
  if (name == "CMakeLists.txt" || is_one_of(kSources, extension)) {
    return ChangeKind::source;
  }
  if (is_one_of(kSettings, extension)) {
    return ChangeKind::setting;
  }
  if (extension == ".css") {
    return ChangeKind::style;
  }
  return is_one_of(kPages, extension) ? ChangeKind::page : ChangeKind::none;
}

ChangeKind kind_of(const SourceChanges& changes) {
  ChangeKind greatest = changes.are_incomplete ? ChangeKind::source : ChangeKind::none;
  for (const auto& file : changes.files) {
    greatest = std::max(greatest, kind_of(file));
  }
  return greatest;
}

}  // namespace eider::dev
