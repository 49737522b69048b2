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

/// The user of `ProcessRights`.
struct ServingUser {
  std::string name;
  uid_t user;
  gid_t group;
  std::vector<gid_t> groups;  // includes `group`
};

/// Sets the umask and limits of the process, which started programs inherit.
///
/// errors  a limit that this process may not set, and the solution
[[nodiscard]] Result<void> apply_limits(const ProcessRights& rights);

/// returns  nothing if the process keeps its user: none is set, or it already is that user
/// errors   no such user, it is root, or this process may not change its user: with the solution
[[nodiscard]] Result<std::optional<ServingUser>> find_serving_user(const ProcessRights& rights);

/// Changes the user of all threads, drops all capabilities, and prevents this thread and its
/// programs from gaining privileges by starting programs. Pre: this process is root
///
/// errors  the change that was refused or did not work: the process must exit
[[nodiscard]] Result<void> become(const ServingUser& user);

/// Files and sockets that this thread creates during its lifetime belong to the user's group.
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
