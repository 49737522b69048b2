#include "eider/server/process/sandbox.h"

#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "eider/core/base/log.h"
#include "eider/core/base/reached.h"
#include "eider/core/base/startup_code.h"
#include "eider/io/runtime/descriptor.h"

namespace eider::detail::server {

namespace {

/// Set in the sandbox, and inherited by started programs.
constexpr const char* kWithinVariable = "EIDER_SANDBOXED";

constexpr std::uint64_t kReads = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kStarts = kReads | LANDLOCK_ACCESS_FS_EXECUTE;
/// From the second and third version of Landlock, because the header of Debian 12 may lack them.
constexpr std::uint64_t kRefer = 1U << 13U;
constexpr std::uint64_t kTruncate = 1U << 14U;
constexpr std::uint64_t kOfFirst = (1U << 13U) - 1;
constexpr std::uint64_t kDevices = LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK;
constexpr std::uint64_t kWrites =
    ((kOfFirst & ~kDevices) | kRefer | kTruncate) & ~std::uint64_t{LANDLOCK_ACCESS_FS_EXECUTE};
/// The rights that apply to files that are not directories.
constexpr std::uint64_t kOfFiles = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE |
                                   LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate;

/// Files that libraries read at run time: user names and addresses, certificate authorities, time
/// zones, locales, and information about the process itself.
constexpr std::array<const char*, 26> kReadByLibraries = {"/usr/lib",
                                                          "/usr/lib64",
                                                          "/usr/share",
                                                          "/usr/local/lib",
                                                          "/lib",
                                                          "/lib64",
                                                          "/etc/ssl",
                                                          "/etc/pki",
                                                          "/etc/resolv.conf",
                                                          "/etc/hosts",
                                                          "/etc/host.conf",
                                                          "/etc/nsswitch.conf",
                                                          "/etc/gai.conf",
                                                          "/etc/services",
                                                          "/etc/protocols",
                                                          "/etc/localtime",
                                                          "/etc/ld.so.cache",
                                                          "/etc/passwd",
                                                          "/etc/group",
                                                          "/etc/mime.types",
                                                          "/run/systemd/resolve",
                                                          "/proc",
                                                          "/sys/devices/system/cpu",
                                                          "/sys/fs/cgroup",
                                                          "/dev/urandom",
                                                          "/dev/random"};
constexpr std::array<const char*, 2> kWrittenByLibraries = {"/dev/null", "/dev/zero"};

/// System calls that no service needs: other processes, kernel modules, namespaces, mounts, clocks.
constexpr std::array kRefusedCalls = {SYS_ptrace,
                                      SYS_process_vm_readv,
                                      SYS_process_vm_writev,
                                      SYS_kcmp,
                                      SYS_pidfd_getfd,
                                      SYS_mount,
                                      SYS_umount2,
                                      SYS_pivot_root,
                                      SYS_move_mount,
                                      SYS_open_tree,
                                      SYS_fsopen,
                                      SYS_fsconfig,
                                      SYS_fsmount,
                                      SYS_fspick,
                                      SYS_mount_setattr,
                                      SYS_chroot,
                                      SYS_unshare,
                                      SYS_setns,
                                      SYS_kexec_load,
                                      SYS_kexec_file_load,
                                      SYS_reboot,
                                      SYS_bpf,
                                      SYS_perf_event_open,
                                      SYS_userfaultfd,
                                      SYS_init_module,
                                      SYS_finit_module,
                                      SYS_delete_module,
                                      SYS_keyctl,
                                      SYS_add_key,
                                      SYS_request_key,
                                      SYS_swapon,
                                      SYS_swapoff,
                                      SYS_acct,
                                      SYS_quotactl,
                                      SYS_sethostname,
                                      SYS_setdomainname,
                                      SYS_settimeofday,
                                      SYS_clock_settime,
                                      SYS_clock_adjtime,
                                      SYS_adjtimex,
                                      SYS_syslog,
                                      SYS_vhangup,
                                      SYS_personality,
                                      SYS_fanotify_init,
                                      SYS_name_to_handle_at,
                                      SYS_open_by_handle_at,
                                      SYS_nfsservctl,
                                      SYS_lookup_dcookie};
constexpr std::uint32_t kNewNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
                                         CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0;  // unknown: no system calls are refused
#endif
/// The x32 ABI numbers its calls differently, which would bypass the filter.
constexpr std::uint32_t kOtherNumbering = 0x40000000;

Error no_sandbox(std::string_view why) {
  return Error::unavailable(base::with_code("sandbox-failed", why));
}

std::string why_not() {
  return std::system_category().message(errno);
}

bool is_held_already() noexcept {
  constexpr int kFiltered = 2;
  return std::getenv(kWithinVariable) != nullptr &&
         ::prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == kFiltered &&
         ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
}

/// Returns the number of the process's other threads.
std::size_t count_other_threads() {
  std::error_code error;
  std::size_t count = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", error)) {
    count += task.exists() ? 1 : 0;
  }
  return count == 0 ? 0 : count - 1;
}

/// The same, but waits for joined threads, which are listed for a moment longer.
std::size_t other_threads() {
  constexpr int kTriesMax = 100;
  std::size_t count = count_other_threads();
  for (int tries = 0; count != 0 && tries < kTriesMax; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    count = count_other_threads();
  }
  return count;
}

/// The Landlock rules, until they are applied.
class FileRules {
 public:
  /// Creates no rule set if the kernel does not support Landlock.
  FileRules() {
    const long version =
        ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    handled_ = kOfFirst | (version >= 2 ? kRefer : 0) | (version >= 3 ? kTruncate : 0);
    landlock_ruleset_attr rules{};
    rules.handled_access_fs = handled_;
    if (version >= 1) {
      rules_ = Descriptor(static_cast<int>(
          ::syscall(SYS_landlock_create_ruleset, &rules, sizeof(rules.handled_access_fs), 0)));
    }
  }

  [[nodiscard]] bool is_there() const noexcept { return rules_.is_open(); }

  /// returns  false on failure: see errno
  bool allow(const std::string& path, std::uint64_t access) const noexcept {
    const Descriptor at(::open(path.c_str(), O_PATH | O_CLOEXEC));
    struct stat found{};
    if (!at.is_open() || ::fstat(at.get(), &found) != 0) {
      return false;
    }
    landlock_path_beneath_attr rule{};
    rule.allowed_access = access & handled_ & (S_ISDIR(found.st_mode) ? ~0ULL : kOfFiles);
    rule.parent_fd = at.get();
    return ::syscall(SYS_landlock_add_rule, rules_.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0) ==
           0;
  }

  /// Restricts this thread and the threads and programs that it starts.
  bool hold() const noexcept { return ::syscall(SYS_landlock_restrict_self, rules_.get(), 0) == 0; }

 private:
  std::uint64_t handled_ = 0;
  Descriptor rules_;
};

std::string real_path(const std::string& path) {
  std::array<char, PATH_MAX> real{};
  return ::realpath(path.c_str(), real.data()) != nullptr ? std::string(real.data()) : path;
}

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, std::max<std::size_t>(slash, 1));
}

/// Returns the path by which this process was started, and will be started again.
std::string own_program() {
  std::ifstream words("/proc/self/cmdline", std::ios::binary);
  std::string word;
  std::getline(words, word, '\0');
  return word.find('/') != std::string::npos ? word : real_path("/proc/self/exe");
}

/// The paths of the program, its loader and its libraries.
struct OwnPlaces {
  std::vector<std::string> starts;
  std::vector<std::string> reads;
};

int add_object(dl_phdr_info* object, std::size_t /*bytes*/, void* places) {
  auto& own = *static_cast<OwnPlaces*>(places);
  const std::string_view name = object->dlpi_name == nullptr ? "" : object->dlpi_name;
  if (name.starts_with('/')) {
    own.reads.push_back(directory_of(real_path(std::string(name))));
  }
  for (std::size_t index = 0; index < object->dlpi_phnum; ++index) {
    const auto& header = object->dlpi_phdr[index];
    if (header.p_type == PT_INTERP) {
      const auto* loader = reinterpret_cast<const char*>(object->dlpi_addr + header.p_vaddr);
      own.starts.push_back(directory_of(real_path(loader)));
    }
  }
  return 0;
}

OwnPlaces own_places() {
  OwnPlaces own;
  (void)::dl_iterate_phdr(add_object, &own);
  const std::string program = own_program();
  own.starts.push_back(directory_of(program));
  own.starts.push_back(directory_of(real_path(program)));
  return own;
}

Result<void> allow_named(const FileRules& rules, const std::vector<std::string>& paths,
                         std::uint64_t access, std::string_view option) {
  for (const std::string& path : paths) {
    if (!rules.allow(path, access)) {
      return fail(no_sandbox("The sandbox cannot allow access to " + path + ": " + why_not() +
                             ". Create the path first, or remove the path from " +
                             std::string(option) + " and from the paths that the program names."));
    }
  }
  return {};
}

Result<void> hold_files(const FileRules& rules, const ServerOptions& options) {
  // Paths that do not exist on this system are omitted.
  for (const char* path : kReadByLibraries) {
    (void)rules.allow(path, kReads);
  }
  for (const char* path : kWrittenByLibraries) {
    (void)rules.allow(path, kReads | kWrites);
  }
  for (const char* variable : {"SSL_CERT_FILE", "SSL_CERT_DIR"}) {
    const char* const path = std::getenv(variable);
    (void)(path == nullptr || rules.allow(path, kReads));
  }
  const OwnPlaces own = own_places();
  for (const std::string& path : own.reads) {
    (void)rules.allow(path, kReads);
  }
  for (const std::string& path : own.starts) {
    (void)rules.allow(path, options.upgrades_on_signal ? kStarts : kReads);
  }
  for (const std::string& file : {options.pid_file, options.state_file}) {
    (void)(file.empty() || rules.allow(sandbox_place_of(file), kReads | kWrites));
  }
  std::vector<std::string> certificates{options.certificate, options.key};
  for (const ListenAt& place : options.additional_addresses) {
    certificates.insert(certificates.end(), {place.certificate, place.key});
  }
  for (const std::string& file : certificates) {
    (void)(file.empty() || rules.allow(sandbox_place_of(file), kReads));
  }
  // Paths that modules have registered: they may not exist yet, or never.
  for (const base::ReachedFile& file : base::reached_files()) {
    (void)rules.allow(file.is_alone ? file.path : sandbox_place_of(file.path),
                      file.is_written ? kReads | kWrites : kReads);
  }
  if (auto allowed = allow_named(rules, options.sandbox.reads, kReads, "--sandbox-read");
      !allowed) {
    return allowed;
  }
  if (auto allowed =
          allow_named(rules, options.sandbox.writes, kReads | kWrites, "--sandbox-write");
      !allowed) {
    return allowed;
  }
  return rules.hold()
             ? Result<void>()
             : fail(no_sandbox("The sandbox cannot restrict file access: " + why_not() + "."));
}

constexpr std::uint32_t kEndWithoutRight = SECCOMP_RET_ERRNO | EPERM;

/// Builds a seccomp filter over the number of a call. Each comparison uses the last loaded value.
class CallFilter {
 public:
  void load(std::size_t offset) {
    add(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
  }
  void end_if_equal(std::uint32_t value, std::uint32_t end) {
    add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1));
    add(BPF_STMT(BPF_RET | BPF_K, end));
  }
  void end_unless_equal(std::uint32_t value, std::uint32_t end) {
    add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0));
    add(BPF_STMT(BPF_RET | BPF_K, end));
  }
  void end_if_any_bit(std::uint32_t bits, std::uint32_t end) {
    add(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1));
    add(BPF_STMT(BPF_RET | BPF_K, end));
  }
  void go_on_if_equal(std::uint32_t value, std::uint8_t skipped_else) {
    add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skipped_else));
  }
  void end(std::uint32_t end) { add(BPF_STMT(BPF_RET | BPF_K, end)); }

  /// Applies the filter to all threads of the process.
  ///
  /// returns  0, -1 (see errno), or the ID of a thread to which it cannot be applied
  long hold() {
    sock_fprog program{.len = static_cast<unsigned short>(code_.size()), .filter = code_.data()};
    return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
  }

 private:
  void add(sock_filter step) { code_.push_back(step); }
  std::vector<sock_filter> code_;
};

bool hold_calls(const ServerOptions& options) {
  CallFilter filter;
  filter.load(offsetof(seccomp_data, arch));
  filter.end_unless_equal(kArchitecture, kEndWithoutRight);
  filter.load(offsetof(seccomp_data, nr));
  if (kArchitecture == AUDIT_ARCH_X86_64) {
    filter.end_if_any_bit(kOtherNumbering, kEndWithoutRight);
  }
  for (const long call : kRefusedCalls) {
    filter.end_if_equal(static_cast<std::uint32_t>(call), kEndWithoutRight);
  }
  if (options.backend == Backend::epoll) {
    // io_uring is a large part of the kernel, and its operations do not pass the filter.
    filter.end_if_equal(SYS_io_uring_setup, kEndWithoutRight);
  }
  if (!options.upgrades_on_signal) {
    filter.end_if_equal(SYS_execve, kEndWithoutRight);
    filter.end_if_equal(SYS_execveat, kEndWithoutRight);
  }
  // The flags of clone3 are in memory, which a filter cannot read. With ENOSYS, the C library uses
  // clone.
  filter.end_if_equal(SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);
  // Input into the terminal from which the process was started (ioctl_tty(2)).
  constexpr std::uint8_t kOfIoctl = 6;
  filter.go_on_if_equal(SYS_ioctl, kOfIoctl);
  // The second argument; see below.
  filter.load(offsetof(seccomp_data, args) + sizeof(std::uint64_t));
  filter.end_if_equal(TIOCSTI, kEndWithoutRight);
  filter.end_if_equal(TIOCLINUX, kEndWithoutRight);
  filter.end(SECCOMP_RET_ALLOW);
  constexpr std::uint8_t kThatQuestion = 3;
  filter.go_on_if_equal(SYS_clone, kThatQuestion);
  filter.load(offsetof(seccomp_data, args));  // the lower half, on a little-endian machine
  filter.end_if_any_bit(kNewNamespaces, kEndWithoutRight);
  filter.end(SECCOMP_RET_ALLOW);
  return filter.hold() == 0;
}

/// Logs the missing part, or returns an error if the complete sandbox is required.
Result<void> do_without(const ServerOptions& options, const std::string& what) {
  if (options.sandbox.mode == SandboxMode::required) {
    return fail(no_sandbox(what + ", but --sandbox required needs the complete sandbox. Use "
                                  "--sandbox on to run without this part."));
  }
  if (options.log != nullptr) {
    options.log->write(LogLevel::warning, what + ". The sandbox runs without this part.");
    options.log->end_thread();  // a log thread that started now would not be in the sandbox
  }
  return {};
}

/// With these capabilities, a root process can access other processes and the kernel in ways that
/// neither Landlock nor the filter covers: since Linux 6.15, CAP_PERFMON (or CAP_SYS_ADMIN) opens
/// `/proc/PID/environ` and `maps` of any process.
constexpr std::array kDroppedCapabilities = {
    CAP_SYS_ADMIN,    CAP_PERFMON,   CAP_SYS_PTRACE, CAP_BPF,           CAP_DAC_READ_SEARCH,
    CAP_SYS_MODULE,   CAP_SYS_RAWIO, CAP_SYS_BOOT,   CAP_SYS_TIME,      CAP_SYSLOG,
    CAP_MAC_OVERRIDE, CAP_MAC_ADMIN, CAP_MKNOD,      CAP_AUDIT_CONTROL, CAP_CHECKPOINT_RESTORE};

bool limit_capabilities() {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, 2> sets{};
  if (::syscall(SYS_capget, &header, sets.data()) != 0) {
    return false;
  }
  for (const int capability : kDroppedCapabilities) {
    // So that a started program cannot regain it. Fails for users without capabilities.
    ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
    auto& set = sets[static_cast<std::size_t>(CAP_TO_INDEX(capability))];
    set.effective &= ~CAP_TO_MASK(capability);
    set.permitted &= ~CAP_TO_MASK(capability);
    set.inheritable &= ~CAP_TO_MASK(capability);
  }
  return ::syscall(SYS_capset, &header, sets.data()) == 0;
}

Result<void> hold_process(const ServerOptions& options) {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return fail(no_sandbox("Cannot enter the sandbox: " + why_not() + "."));
  }
  if (options.log != nullptr) {
    // Started by a log line during startup, such as of TLS; the next log thread is in the sandbox.
    options.log->end_thread();
  }
  if (const std::size_t others = other_threads(); others != 0) {
    auto told = do_without(options, std::to_string(others) +
                                        " threads were started before the sandbox (start threads "
                                        "in on_start), and can access any file");
    if (!told) {
      return told;
    }
  }
  const FileRules rules;
  auto held =
      rules.is_there()
          ? hold_files(rules, options)
          : do_without(options, "The kernel has no Landlock, so file access cannot be restricted");
  if (!held) {
    return held;
  }
  if (!limit_capabilities()) {
    return fail(no_sandbox("The sandbox cannot drop capabilities: " + why_not() + "."));
  }
  if (kArchitecture != 0 && hold_calls(options)) {
    return {};
  }
  return do_without(options, "The kernel has no seccomp filter (" + why_not() +
                                 "), so system calls cannot be restricted");
}

/// Directories of the system: other programs have files in them.
constexpr std::array<std::string_view, 20> kShared{
    "/",    "/bin",  "/boot", "/dev", "/etc",  "/home", "/lib", "/lib64", "/media", "/mnt",
    "/opt", "/proc", "/root", "/run", "/sbin", "/srv",  "/sys", "/tmp",   "/usr",   "/var"};

}  // namespace

std::string sandbox_place_of(const std::string& file) {
  if (std::error_code error; std::filesystem::is_directory(file, error)) {
    return file;
  }
  const std::string directory = directory_of(real_path(file));
  return std::ranges::find(kShared, directory) != kShared.end() ? file : directory;
}

Result<void> enter_sandbox(const ServerOptions& options) {
  if (options.sandbox.mode == SandboxMode::off || is_held_already()) {
    return {};
  }
  auto held = hold_process(options);
  if (held) {
    ::setenv(kWithinVariable, "1", 1);
  }
  return held;
}

}  // namespace eider::detail::server
