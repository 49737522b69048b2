#include "cli/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "cli/json_line.h"
#include "cli/project/findings.h"
#include "cli/project/words.h"

namespace eider {

namespace {

constexpr std::string_view kDoctorHelp = R"(eider doctor [production] [--pid PID] [--json]

Checks the compilers, tools and libraries of this machine, its kernel and its limits, and suggests a
fix for each problem.

production  Check whether this machine is ready to run a service, and with --pid a running program:
            its user, limits, graceful shutdown, listening addresses and health, as a score. Backups
            and on-call duty cannot be checked
--pid PID   Process to check; of the same user, except for root
--json      Write JSON

  eider doctor
  eider doctor production --pid $(pidof shop)

Exit codes: 0 no problems, 1 PID cannot be checked, 2 invalid usage, 3 problems found
)";

struct DoctorReport {
  std::vector<Finding> findings;
  std::size_t good;
  std::size_t all;
};

std::string_view mark_of(FindingState state) {
  switch (state) {
    case FindingState::good:
      return "ok";
    case FindingState::advice:
      return "--";
    case FindingState::bad:
      return "!!";
  }
  return "";
}

int show_findings(const std::vector<Finding>& findings, bool is_json, bool is_scored) {
  const auto count_of = [&](FindingState state) {
    return static_cast<std::size_t>(std::ranges::count(findings, state, &Finding::state));
  };
  const std::size_t bad = count_of(FindingState::bad);
  const DoctorReport report{
      .findings = findings, .good = count_of(FindingState::good), .all = findings.size()};
  if (is_json) {
    fmt::print("{}", json_line(report));
    return bad == 0 ? kCommandDone : kCommandFound;
  }
  for (const Finding& each : report.findings) {
    fmt::print("{}  {:18} {}\n", mark_of(each.state), each.name, each.found);
    if (!each.fix.empty()) {
      fmt::print("{:22} → {}\n", "", each.fix);
    }
  }
  if (is_scored) {
    fmt::print("\n{} of {} checks passed\n", report.good, report.all);
  }
  return bad == 0 ? kCommandDone : kCommandFound;
}

int examine_production(const std::optional<std::string>& pid_text, bool is_json) {
  std::vector<Finding> findings = findings_of_kernel();
  if (pid_text) {
    int pid = 0;
    const char* end = pid_text->data() + pid_text->size();
    if (std::from_chars(pid_text->data(), end, pid).ptr != end || pid <= 0) {
      return command_misused("doctor", fmt::format("{} is not a process ID", *pid_text));
    }
    auto of_process = findings_of_process(pid);
    if (!of_process) {
      return command_fault("doctor", of_process.error());
    }
    std::ranges::move(*of_process, std::back_inserter(findings));
  } else {
    findings.push_back({"program", FindingState::advice, "not checked",
                        "pass the process ID of the running program: --pid PID"});
  }
  return show_findings(findings, is_json, true);
}

}  // namespace

int doctor_command(std::span<const std::string_view> arguments) {
  if (is_help(arguments, kDoctorHelp)) {
    return kCommandDone;
  }
  CommandWords words(arguments);
  const bool is_json = words.flag("--json");
  const auto pid = words.value("--pid", "PID");
  const auto rest = words.rest("production", 1);
  if (!rest) {
    return command_misused("doctor", rest.error());
  }
  if (!rest->empty() && rest->front() != "production") {
    return command_misused(
        "doctor", fmt::format("unexpected argument {}; expected: production", rest->front()));
  }
  if (!rest->empty() || pid) {
    return examine_production(pid, is_json);
  }
  std::vector<Finding> findings = findings_of_tools();
  std::ranges::move(findings_of_kernel(), std::back_inserter(findings));
  return show_findings(findings, is_json, false);
}

}  // namespace eider
