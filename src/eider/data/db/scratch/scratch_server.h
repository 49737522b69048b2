// A temporary database server in its own directory, run by an ordinary user.
// Layering: must not know which database it is.
#pragma once

#include <pwd.h>
#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/data/db/scratch/cleanup_process.h"

namespace eider::detail::scratch {

/// Describes how to run a server.
///
/// user         the user if this process is root, which servers reject; `nobody` if there is no
///              such user
/// socket       the name of the socket in the directory: "/s"
/// end_signal   ends the server at once, without saving data
struct ScratchServerKind {
  const char* user;
  std::string_view socket;
  int end_signal;
};

class ScratchServer : public TemporaryResource {
 public:
  [[nodiscard]] Result<void, std::string> remove() override;

 protected:
  explicit ScratchServer(ScratchServerKind kind) noexcept : kind_(kind) {}

  [[nodiscard]] const std::string& directory() const noexcept { return directory_; }
  [[nodiscard]] std::string data() const { return directory_ + "/data"; }
  [[nodiscard]] Result<void, std::string> make_directory();
  /// Runs a program until its end, to create the data directory.
  [[nodiscard]] Result<void, std::string> run_whole(const std::vector<std::string>& command,
                                                    const Parent& other);
  /// Starts the server, and waits until `is_ready()`.
  [[nodiscard]] Result<void, std::string> start(const std::vector<std::string>& command,
                                                const Parent& other);

 private:
  [[nodiscard]] virtual bool is_ready() const = 0;
  [[nodiscard]] pid_t run(std::vector<std::string> command) const;
  [[nodiscard]] std::string failed(const std::string& program) const;

  ScratchServerKind kind_;
  std::string directory_{};
  const passwd* user_ = nullptr;  // null: the user of this process
  pid_t server_ = -1;
  int log_ = -1;  // stays open as long as the process
};

}  // namespace eider::detail::scratch
