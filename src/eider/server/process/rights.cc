#include "eider/server/process/rights.h"
#include "eider/core/base/startup_code.h"
#include "eider/core/base/text.h"

#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>

namespace eider::detail::server {

namespace {

Error no_rights(std::string_view why) {
  return Error::unavailable(base::with_code("privileges-failed", why));
}

std::string why_errno() {
  return std::system_category().message(errno);
}

/// Parses a user or group ID. -1 is not valid, because the system calls do not change the ID then.
std::optional<std::uint32_t> number_of(std::string_view text) noexcept {
  const auto number = parse_integer<std::uint32_t>(text);
  return number == UINT32_MAX ? std::nullopt : number;
}

/// errors  the message with the solution
Result<void> set_limit(__rlimit_resource resource, std::uint64_t most, const std::string& option) {
  const rlimit limit{.rlim_cur = most, .rlim_max = most};
  if (::setrlimit(resource, &limit) == 0) {
    return {};
  }
  rlimit given{};
  (void)::getrlimit(resource, &given);
  return fail(
      no_rights(option + " " + std::to_string(most) + " is more than this process may have (" +
                std::to_string(given.rlim_max) +
                "): only root may raise this limit. Use a lower value, or raise the limit where "
                "the service is started (ulimit, or LimitNOFILE= and LimitDATA= of systemd)."));
}

Result<gid_t> find_group(const std::string& name) {
  if (const group* const entry = ::getgrnam(name.c_str())) {
    return entry->gr_gid;
  }
  if (const auto number = number_of(name)) {
    return gid_t{*number};
  }
  return fail(
      no_rights("There is no group '" + name +
                "' for --group: create the group (groupadd --system), or use another one."));
}

std::vector<gid_t> groups_of(const char* name, gid_t group) {
  int count = 0;
  (void)::getgrouplist(name, group, nullptr, &count);
  std::vector<gid_t> all(static_cast<std::size_t>(std::max(count, 1)), group);
  count = static_cast<int>(all.size());
  (void)::getgrouplist(name, group, all.data(), &count);
  all.resize(static_cast<std::size_t>(std::clamp(count, 1, static_cast<int>(all.size()))));
  return all;
}

Result<ServingUser> look_up(const ProcessRights& rights) {
  const passwd* entry = ::getpwnam(rights.user.c_str());
  const auto number = number_of(rights.user);
  if (entry == nullptr && number) {
    entry = ::getpwuid(*number);
  }
  if (entry == nullptr && !number) {
    return fail(no_rights("There is no user '" + rights.user +
                          "' for --user: create the user (useradd --system), or use another one."));
  }
  if (entry == nullptr && rights.group.empty()) {
    return fail(
        no_rights("User " + rights.user +
                  " has no entry in /etc/passwd, and therefore no group: add --group NAME."));
  }
  ServingUser found{.name = rights.user,
                    .user = entry != nullptr ? entry->pw_uid : uid_t{*number},
                    .group = entry != nullptr ? entry->pw_gid : gid_t{0},
                    .groups = {}};
  const std::string name = entry != nullptr ? entry->pw_name : "";
  if (!rights.group.empty()) {
    auto group = find_group(rights.group);
    if (!group) {
      return fail(std::move(group.error()));
    }
    found.group = *group;
  }
  if (found.user == 0 || found.group == 0) {
    return fail(no_rights("--user " + rights.user +
                          " is root or in the group of root, so no privileges would be dropped. "
                          "Use a dedicated user, or remove --user."));
  }
  found.groups = name.empty() ? std::vector{found.group} : groups_of(name.c_str(), found.group);
  return found;
}

bool is_already(const ServingUser& wanted) {
  std::array<uid_t, 3> users{};
  std::array<gid_t, 3> groups{};
  (void)::getresuid(&users[0], &users[1], &users[2]);
  (void)::getresgid(&groups[0], &groups[1], &groups[2]);
  std::vector<gid_t> more(static_cast<std::size_t>(std::max(::getgroups(0, nullptr), 0)));
  more.resize(static_cast<std::size_t>(
      std::max(::getgroups(static_cast<int>(more.size()), more.data()), 0)));
  return std::ranges::all_of(users, [&](uid_t user) { return user == wanted.user; }) &&
         std::ranges::all_of(groups, [&](gid_t group) { return group == wanted.group; }) &&
         std::ranges::all_of(more, [&](gid_t group) {
           return std::ranges::find(wanted.groups, group) != wanted.groups.end();
         });
}

/// Drops all capabilities. setresuid does it by itself, unless the process is set to keep them.
bool drop_capabilities() noexcept {
  (void)::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> none{};
  return ::syscall(SYS_capset, &header, none.data()) == 0;
}

bool are_among(const std::string& numbers, const std::vector<gid_t>& allowed, int base) {
  std::istringstream in(numbers);
  for (std::string word; in >> word;) {
    std::uint64_t number = 0;
    std::from_chars(word.data(), word.data() + word.size(), number, base);
    if (std::ranges::find(allowed, number) == allowed.end()) {
      return false;
    }
  }
  return true;
}

/// returns  the line of a thread's status that shows another user; empty if there is none
std::string what_is_left(const std::filesystem::path& status, const ServingUser& user) {
  std::ifstream file(status);
  for (std::string line; std::getline(file, line);) {
    const std::string name = line.substr(0, line.find(':'));
    const std::string numbers = line.substr(std::min(name.size() + 1, line.size()));
    const bool is_fine =
        name == "Uid"      ? are_among(numbers, {user.user}, 10)
        : name == "Gid"    ? are_among(numbers, {user.group}, 10)
        : name == "Groups" ? are_among(numbers, user.groups, 10)
        : name == "CapInh" || name == "CapPrm" || name == "CapEff" || name == "CapAmb"
            ? are_among(numbers, {0}, 16)
            : true;
    if (!is_fine) {
      return line;
    }
  }
  return {};
}

/// Checks each thread in /proc, because the results of the calls are only about this thread.
Result<void> verify(const ServingUser& user) {
  std::error_code error;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", error)) {
    if (const std::string left = what_is_left(task.path() / "status", user); !left.empty()) {
      return fail(no_rights("Thread " + task.path().filename().string() +
                            " kept privileges that --user " + user.name +
                            " should have dropped: " + left));
    }
  }
  if (::setresuid(0, 0, 0) == 0 || ::setresgid(0, 0, 0) == 0) {
    return fail(no_rights("This process could become root again after --user " + user.name + "."));
  }
  return {};
}

}  // namespace

Result<void> apply_limits(const ProcessRights& rights) {
  if (rights.umask) {
    (void)::umask(static_cast<mode_t>(*rights.umask));
  }
  if (rights.open_files_max) {
    if (auto set = set_limit(RLIMIT_NOFILE, *rights.open_files_max, "--open-files-max"); !set) {
      return set;
    }
  }
  return rights.memory_bytes_max
             ? set_limit(RLIMIT_DATA, *rights.memory_bytes_max, "--memory-max, in bytes")
             : Result<void>();
}

Result<std::optional<ServingUser>> find_serving_user(const ProcessRights& rights) {
  if (rights.user.empty() && !rights.group.empty()) {
    return fail(no_rights("--group requires --user. Add --user NAME, or remove --group."));
  }
  if (rights.user.empty()) {
    return std::nullopt;
  }
  auto found = look_up(rights);
  if (!found) {
    return fail(std::move(found.error()));
  }
  if (is_already(*found)) {
    return std::nullopt;
  }
  if (::geteuid() != 0) {
    return fail(no_rights("Cannot serve as user " + rights.user +
                          ": only root can switch to another user. Start the program as root, or "
                          "remove --user; with systemd, set User= instead."));
  }
  return std::optional(std::move(*found));
}

// The user is changed last: without root, the groups could not be changed any more. The C library
// applies each call to all threads, while the bare system calls apply to one thread.
Result<void> become(const ServingUser& user) {
  if (::setgroups(user.groups.size(), user.groups.data()) != 0 ||
      ::setresgid(user.group, user.group, user.group) != 0 ||
      ::setresuid(user.user, user.user, user.user) != 0) {
    return fail(no_rights("Cannot become user " + user.name + ": " + why_errno() + "."));
  }
  if (!drop_capabilities() || ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return fail(
        no_rights("Cannot drop all privileges for --user " + user.name + ": " + why_errno() + "."));
  }
  return verify(user);
}

FilesOfGroup::FilesOfGroup(const std::optional<ServingUser>& user) noexcept {
  if (user) {
    before_ = static_cast<gid_t>(::setfsgid(user->group));
  }
}

FilesOfGroup::~FilesOfGroup() {
  if (before_) {
    (void)::setfsgid(*before_);
  }
}

}  // namespace eider::detail::server
