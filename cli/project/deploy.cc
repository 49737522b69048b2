#include "cli/project/package.h"

#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/json_line.h"
#include "cli/project/project.h"
#include "eider/protocols/http/http_url.h"

namespace eider {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDeployHelp =
    R"(eider deploy HOST [--dry-run] [--dir DIR] [--json] [-- OPTION …]

Packages the project's program (eider package), copies it to HOST with ssh, and starts it there; a
running service is upgraded without losing a request. If the new release does not start or is not
ready in time, the previous one is restored. HOST needs a shell and the usual tools; ssh must log in
with a key.

HOST              Host for ssh: shop.example, deploy@shop.example, ssh://shop.example:2222
--dir DIR         Directory for the releases on HOST (default: /srv/NAME)
--dry-run         Package the program, check HOST, and report the planned actions
--before COMMAND  Command to run on HOST, in DIR, before the switch; $RELEASE is the folder of the
                  new release
--health URL      URL that must return 200 on HOST; none disables the check (default: /readyz at the
                  program's first address)
--within SECONDS  Time limit for each of the start, the health check and the rollback, which gets at
                  least 30 (default: 60)
--print-unit      Print a hardened systemd unit and exit. If HOST has NAME.service, systemd starts
                  and reloads the program; else this command does
--with PATH       Additional file or folder of the project; can be repeated
--json            Report the deployed release as JSON; other output goes to standard error
--project DIR     Project folder (default: the nearest one, here or above)
-- OPTION …       Options for ssh

  eider deploy shop.example
  eider deploy deploy@shop.example --dir '/srv/my shop' -- -p 2222
  eider deploy --print-unit shop.example > shop.service    # for its /etc/systemd/system

Exit codes: 0 success, 1 failure (the previous release serves again), 2 invalid usage
)";

constexpr unsigned kSecondsMax = 3600;
constexpr int kNoConnection = 255;  // exit code of ssh

struct DeployWanted {
  std::string host;
  std::string directory{};
  std::string before{};
  std::string health{};
  unsigned seconds = 60;
  bool is_dry = false;
  bool is_json = false;
  std::vector<std::string> ssh{};

  /// Output for messages to users.
  [[nodiscard]] ProgramCall::Output output() const noexcept {
    return is_json ? ProgramCall::Output::as_errors : ProgramCall::Output::shown;
  }
};

/// The output of --json.
///
/// replaced  the previous release; may be the same
struct DeployReport {
  std::string host;
  std::string directory;
  std::string release;
  std::optional<std::string> replaced;
  bool is_dry_run;
};

/// A deployment of an existing package.
struct Deployment {
  const DeployWanted& wanted;
  const Package& package;
  /// "0.1.0-1f2e3d4c": depends on the bytes of the package, so equal packages are the same release.
  std::string release;
};

bool is_printable(std::string_view text) {
  return std::ranges::none_of(text, [](char each) {
    const auto byte = static_cast<unsigned char>(each);
    return byte < ' ' || byte == 0x7F;
  });
}

/// Checked before the upload: otherwise, the other machine would get no response from the URL, and
/// roll back to the previous release.
///
/// errors   the URL is not supported
Result<void, std::string> check_health(const std::string& health) {
  if (health.empty() || health == "none") {
    return {};
  }
  const bool is_socket = health.starts_with("unix:");
  const auto url = detail::http::read_http_url(health);
  const bool is_plain = health.find_first_of(" \"'\\") == std::string::npos && is_printable(health);
  if (is_plain && (is_socket ? health.starts_with("unix:/") : url.has_value())) {
    return {};
  }
  return fail(fmt::format(
      "--health must be a URL such as http://127.0.0.1:8080/readyz, unix:/PATH or none, not {:?}{}",
      health, is_socket || url ? "" : fmt::format(": {}", url.error())));
}

/// errors   invalid arguments
Result<void, std::string> check_wanted(const DeployWanted& wanted) {
  if (wanted.host.starts_with('-') || wanted.host.empty() || !is_printable(wanted.host) ||
      wanted.host.find(' ') != std::string::npos) {
    return fail(fmt::format("{:?} is not a valid host", wanted.host));
  }
  if (!wanted.directory.starts_with('/') || !is_printable(wanted.directory) ||
      fs::path(wanted.directory).lexically_normal() == "/") {
    return fail(fmt::format("--dir must be an absolute path of a folder on HOST, not {:?}",
                            wanted.directory));
  }
  return check_health(wanted.health);
}

/// Runs ssh, which runs the script for that action.
///
/// input   a file; may be empty
Result<ProgramEnd, std::string> run_there(const Deployment& deployment, std::string_view action,
                                          ProgramCall::Output output, std::string input = {}) {
  std::string command = "exec sh -c " + shell_quoted(deploy_script()) + " eider-deploy";
  for (const std::string& word :
       {std::string(action), deployment.wanted.directory, deployment.package.name,
        deployment.release, deployment.package.digest, std::to_string(deployment.wanted.seconds),
        deployment.wanted.health, deployment.wanted.before}) {
    command += " " + shell_quoted(word);
  }
  // ssh must not prompt, and must detect a dead connection.
  std::vector<std::string> words = {"ssh", "-T",
                                    "-o",  "BatchMode=yes",
                                    "-o",  "ConnectTimeout=10",
                                    "-o",  "ServerAliveInterval=5",
                                    "-o",  "ServerAliveCountMax=6"};
  words.insert(words.end(), deployment.wanted.ssh.begin(), deployment.wanted.ssh.end());
  words.insert(words.end(), {"--", deployment.wanted.host, std::move(command)});
  return run_program({.words = std::move(words), .input = std::move(input), .output = output});
}

/// Returns the exit code of a failed step; the message is already printed.
int failed_step(const Deployment& deployment, const Result<ProgramEnd, std::string>& end) {
  if (!end) {
    return command_fault("deploy", end.error());
  }
  if (end->is_stopped) {
    return kCommandStopped;
  }
  return end->status == kNoConnection
             ? command_fault("deploy",
                             fmt::format("cannot connect to {} with ssh (see above). Set up key "
                                         "login, so that ssh {} works without a password",
                                         deployment.wanted.host, deployment.wanted.host))
             : kCommandFailed;
}

/// Returns the value of a "name=value" line.
std::string said_value(const std::string& said, std::string_view name) {
  const std::string lines = "\n" + said;
  const std::string before = fmt::format("\n{}=", name);
  const std::size_t at = lines.find(before);
  if (at == std::string::npos) {
    return {};
  }
  const std::size_t begin = at + before.size();
  return lines.substr(begin, lines.find('\n', begin) - begin);
}

/// Parses "2.36", for comparisons.
std::pair<unsigned, unsigned> version_pair(const std::string& text) {
  std::pair<unsigned, unsigned> version;
  const char* const end = text.data() + text.size();
  const char* const dot = std::from_chars(text.data(), end, version.first).ptr;
  if (dot != end) {
    std::from_chars(dot + 1, end, version.second);
  }
  return version;
}

/// errors   the program cannot run on that machine
Result<void, std::string> check_machine(const std::string& said) {
  utsname here{};
  uname(&here);
  const std::string machine = said_value(said, "machine");
  if (machine != here.machine) {
    return fail(fmt::format(
        "the program was built for {}, but HOST is {}. Build the program on the same architecture",
        here.machine, machine));
  }
  const std::string glibc = said_value(said, "glibc");
  const std::string needed = gnu_get_libc_version();
  if (version_pair(glibc) < version_pair(needed)) {
    return fail(
        fmt::format("the program needs glibc {} or later, but HOST has {}. Build on a system with "
                    "that version, or deploy a container image (eider package --format oci)",
                    needed, glibc.empty() ? "none" : glibc));
  }
  return {};
}

void show(const DeployWanted& wanted, std::string_view line) {
  fmt::print(wanted.is_json ? stderr : stdout, "{}\n", line);
  (void)std::fflush(stdout);
}

/// Prints the report of a deployment or a dry run, if --json is set.
int tell_report(const Deployment& deployment, std::string current) {
  const DeployWanted& wanted = deployment.wanted;
  if (wanted.is_json) {
    fmt::print("{}", json_line(DeployReport{
                         wanted.host, wanted.directory, deployment.release,
                         current.empty() ? std::nullopt : std::optional(std::move(current)),
                         wanted.is_dry}));
  }
  return kCommandDone;
}

int tell_plan(const Deployment& deployment, const std::string& said) {
  const DeployWanted& wanted = deployment.wanted;
  const std::string current = said_value(said, "current");
  const std::string size = fmt::format(
      "{:.1f} MiB", static_cast<double>(fs::file_size(deployment.package.path)) / (1024 * 1024));
  show(wanted, said_value(said, "here") == "yes"
                   ? fmt::format("releases/{} is already on HOST", deployment.release)
                   : fmt::format("would copy {} to {}, and unpack it to releases/{}", size,
                                 wanted.host, deployment.release));
  if (!wanted.before.empty()) {
    show(wanted, "would run " + wanted.before);
  }
  show(wanted,
       fmt::format("would switch {}/current from {} to releases/{}", wanted.directory,
                   current.empty() ? "nothing" : "releases/" + current, deployment.release));
  show(wanted, said_value(said, "unit") == "yes"
                   ? fmt::format("would reload {}.service with systemd", deployment.package.name)
                   : std::string("would upgrade the running process, or start one"));
  if (wanted.health != "none") {
    show(wanted,
         fmt::format("would check the health of the service, and roll back if the service is not "
                     "ready within {} s",
                     wanted.seconds));
  }
  return tell_report(deployment, current);
}

int deploy(const Deployment& deployment) {
  const DeployWanted& wanted = deployment.wanted;
  const auto looked = run_there(deployment, "look", ProgramCall::Output::kept);
  if (!looked || !looked->is_good()) {
    return failed_step(deployment, looked);
  }
  if (wanted.is_dry) {
    return tell_plan(deployment, looked->output);
  }
  if (said_value(looked->output, "here") != "yes") {
    const auto taken = run_there(deployment, "take", wanted.output(), deployment.package.path);
    if (!taken || !taken->is_good()) {
      return failed_step(deployment, taken);
    }
    show(wanted, fmt::format("copied {} to {}",
                             fs::path(deployment.package.path).filename().string(), wanted.host));
  }
  const auto activated = run_there(deployment, "activate", wanted.output());
  return activated && activated->is_good()
             ? tell_report(deployment, said_value(looked->output, "current"))
             : failed_step(deployment, activated);
}

int print_unit(const Project& project, const DeployWanted& wanted) {
  const auto is_plain = [](char each) {
    return std::isalnum(static_cast<unsigned char>(each)) != 0 ||
           std::string_view("/._+-").find(each) != std::string_view::npos;
  };
  if (!std::ranges::all_of(wanted.directory, is_plain)) {
    return command_fault("deploy",
                         fmt::format("the folder of a systemd unit can only have letters, digits "
                                     "and /._+-, not {:?}. Choose another one with --dir",
                                     wanted.directory));
  }
  fmt::print("{}", systemd_unit(project.name, wanted.directory));
  return kCommandDone;
}

/// Checks the host before the build, which takes much longer: a misspelled host, a folder of root.
int try_host(const Project& project, const DeployWanted& wanted) {
  const Package none{.path = {}, .name = project.name, .version = {}};
  const Deployment deployment{.wanted = wanted, .package = none, .release = "none"};
  const auto looked = run_there(deployment, "look", ProgramCall::Output::kept);
  if (!looked || !looked->is_good()) {
    return failed_step(deployment, looked);
  }
  const auto good = check_machine(looked->output);
  return good ? kCommandDone : command_fault("deploy", good.error());
}

int pack_and_deploy(const Project& project, const DeployWanted& wanted,
                    const std::vector<std::string>& more) {
  if (const int tried = try_host(project, wanted); tried != kCommandDone) {
    return tried;
  }
  const auto package =
      make_package(project, {.output = project.root + "/build/packages", .more = more},
                   ProgramCall::Output::as_errors);
  if (!package) {
    return told_end("deploy", package.error());
  }
  constexpr std::size_t kDigits = 8;
  show(wanted, fmt::format("packed {}", fs::path(package->path).filename().string()));
  return deploy({.wanted = wanted,
                 .package = *package,
                 .release = package->version + "-" + package->digest.substr(0, kDigits)});
}

}  // namespace

std::string shell_quoted(std::string_view word) {
  std::string quoted = "'";
  for (const char each : word) {
    quoted += each == '\'' ? std::string("'\\''") : std::string(1, each);
  }
  return quoted + "'";
}

std::string systemd_unit(const std::string& name, const std::string& directory) {
  return fmt::format(R"([Unit]
Description={0}
After=network.target

[Service]
Type=notify
WatchdogSec=30
WorkingDirectory={1}
EnvironmentFile=-{1}/env
ExecStart={1}/current/bin/{0} --config {1}/{0}.toml
ExecReload=/bin/kill -USR2 $MAINPID
Restart=on-failure
TimeoutStopSec=30
LimitNOFILE=120000
DynamicUser=yes
StateDirectory={0}
StateDirectoryMode=0700

NoNewPrivileges=yes
CapabilityBoundingSet=
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectClock=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectControlGroups=yes
ProtectProc=invisible
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
MemoryDenyWriteExecute=yes
LockPersonality=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM
UMask=0077

[Install]
WantedBy=multi-user.target
)",
                     name, directory);
}

int deploy_command(std::span<const std::string_view> arguments) {
  if (is_help(arguments, kDeployHelp)) {
    return kCommandDone;
  }
  CommandWords words(arguments);
  DeployWanted wanted{.host = {}, .ssh = words.behind()};
  wanted.is_dry = words.flag("--dry-run");
  wanted.is_json = words.flag("--json");
  const bool is_unit = words.flag("--print-unit");
  const auto directory = words.value("--dir", "DIR");
  wanted.before = words.value("--before", "COMMAND").value_or("");
  wanted.health = words.value("--health", "URL").value_or("");
  const auto seconds = words.number("--within", "SECONDS",
                                    {1, kSecondsMax, fmt::format("1 to {} seconds", kSecondsMax)});
  const auto more = words.values("--with", "PATH");
  const auto in = in_project("deploy", words, "HOST", 1);
  if (!in) {
    return in.error();
  }
  wanted.directory = directory.value_or("/srv/" + in->project.name);
  if (in->rest.empty() && !is_unit) {
    return command_misused("deploy", "no host given. Example: eider deploy shop.example");
  }
  wanted.host = in->rest.empty() ? "localhost" : in->rest.front();
  wanted.seconds = static_cast<unsigned>(seconds.value_or(60));
  if (const auto good = check_wanted(wanted); !good) {
    return command_misused("deploy", good.error());
  }
  return is_unit ? print_unit(in->project, wanted) : pack_and_deploy(in->project, wanted, more);
}

}  // namespace eider
