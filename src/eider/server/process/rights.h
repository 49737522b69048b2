// Privileges and limits of the process: user, group, umask, open files, memory.
// Layering: must not be reversible: privileges are dropped for all threads.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/server/server.h"

namespace eider::detail::server {

/// Whom `ProcessRights` names.
struct ServingUser {
  std::string name;
  uid_t user;
  gid_t group;
  std::vector<gid_t> groups;  // with `group`
};

/// The process's umask and limits, which what it starts inherits.
///
/// errors  the limit that this process may not have, and the mend
[[nodiscard]] Result<void> apply_limits(const ProcessRights& rights);

/// returns  nothing where the process stays who it is: nobody is named, or it is that user already
/// errors   nobody is called so, it is root, or this process may become nobody else: with the mend
[[nodiscard]] Result<std::optional<ServingUser>> find_serving_user(const ProcessRights& rights);

/// All threads of the process are that user from now on, without capabilities, and this one, with
/// what it starts, gains no rights by programs that it starts. Pre: this process is root
///
/// errors  what was refused, or is still there: the process must end
[[nodiscard]] Result<void> become(const ServingUser& user);

/// Files and sockets that this thread makes while it lives belong to the user's group.
class FilesOfGroup {
 public:
  explicit FilesOfGroup(const std::optional<ServingUser>& user) noexcept;
  ~FilesOfGroup();
  FilesOfGroup(const FilesOfGroup&) = delete;
  FilesOfGroup& operator=(const FilesOfGroup&) = delete;

 private:
  std::optional<gid_t> before_;
};

}  // namespace eider::detail::server
