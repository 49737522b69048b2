// The temporary files of one test, apart from those of all other programs: a test can count them.
// Must not be linked into an application, nor be used while other threads read the environment.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>

#include "eider/testkit/temp_directory.h"

namespace eider {

/// Sets TMPDIR to a directory of its own until it is destroyed.
class OwnTemporaryFiles {
 public:
  OwnTemporaryFiles() {
    if (const char* const before = std::getenv("TMPDIR")) {
      before_ = before;
    }
    // Servers of databases run as users of their own if the test runs as root.
    std::filesystem::permissions(directory_.path(), std::filesystem::perms::others_exec,
                                 std::filesystem::perm_options::add);
    ::setenv("TMPDIR", directory_.path().c_str(), 1);
  }
  ~OwnTemporaryFiles() {
    if (before_) {
      ::setenv("TMPDIR", before_->c_str(), 1);
    } else {
      ::unsetenv("TMPDIR");
    }
  }
  OwnTemporaryFiles(const OwnTemporaryFiles&) = delete;
  OwnTemporaryFiles& operator=(const OwnTemporaryFiles&) = delete;

  [[nodiscard]] std::ptrdiff_t count() const {
    using Files = std::filesystem::directory_iterator;
    return std::distance(Files(directory_.path()), Files());
  }

 private:
  const TempDirectory directory_;
  std::optional<std::string> before_;
};

}  // namespace eider
