// Shared code of the tests of settings: options, files, variables and their errors.
// Layering: must not contain tests.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/app/settings/byte_size.h"
#include "eider/app/settings/options.h"
#include "eider/app/settings/secret.h"
#include "eider/core/base/startup_code.h"
#include "eider/core/reflect/constraints.h"
#include "eider/server/server.h"
#include "eider/testkit/temp_directory.h"

namespace eider::testing {

using namespace std::chrono_literals;

enum class Tempo : std::uint8_t { slow, fast };

struct Own {
  std::string database_file = "notes.db";
  Bounded<int, 1, 9> copies = 3;
  std::chrono::milliseconds kept_for = 90s;
  ByteSize upload_max = {.bytes = 64 * ByteSize::kMiB};
  Tempo pace = Tempo::fast;
  std::optional<double> share = {};
  std::vector<std::string> hosts = {"localhost"};
  bool verbose = false;
  Secret api_key = {};

  static constexpr OptionText kOptions[] = {{"database_file", "where they are kept", "FILE"},
                                            {"hosts", "names of it,\nas often as wanted"},
                                            {"api_key", "of the weather service"}};
};

struct OfSearch {
  std::string index_dir = "index";
  Secret password = {};
};

/// A temporary directory for files.
class Directory {
 public:
  /// Writes a file.
  ///
  /// returns  its path
  [[nodiscard]] std::string file(std::string_view name, std::string_view text) const {
    const std::string path = directory_.path() / name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  [[nodiscard]] std::string path() const { return directory_.path(); }

 private:
  TempDirectory directory_;
};

/// Sets an environment variable during the life of this object.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

inline Result<ServerOptions, Exit> read_words(const OptionSet& set,
                                              std::vector<std::string> words) {
  std::vector<const char*> arguments{"notes"};
  for (const std::string& word : words) {
    arguments.push_back(word.c_str());
  }
  return read_command_line(static_cast<int>(arguments.size()), arguments.data(), set);
}

inline Result<ServerOptions, Exit> read(Own& own, std::vector<std::string> words) {
  OfSearch of_search;
  return read_words(OptionSet("notes").add(own).add(of_search, "search"), std::move(words));
}

/// Returns the text that is printed instead of serving, with "F" for the path of the file.
inline std::string said(std::vector<std::string> words, const std::string& path = {}) {
  Own own;
  const auto options = read(own, std::move(words));
  // Errors without their codes, which options_test.cc compares.
  std::string text =
      options ? std::string()
              : eider::detail::base::split_code(options.error().text(), "startup-failed").text;
  for (std::size_t at = 0; !path.empty() && (at = text.find(path)) != std::string::npos;) {
    text.replace(at, path.size(), "F");
  }
  return text;
}

inline std::string said_of(std::string_view content) {
  const Directory directory;
  const std::string path = directory.file("notes.toml", content);
  return said({"--config", path}, path);
}

}  // namespace eider::testing
