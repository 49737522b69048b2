// The temporary files of one test, separate from those of other programs, so that it can count
// them.
// Layering: must not be linked into an application, or be used while other threads read the
// environment.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>

#include "eider/testkit/temp_directory.h"

namespace eider {

/// Sets TMPDIR to its own directory until it is destroyed.
class OwnTemporaryFiles {
 public:
  OwnTemporaryFiles() {
    if (const char* const before = std::getenv("TMPDIR")) {
      before_ = before;
    }
    // If the test runs as root, database servers run as other users.
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
