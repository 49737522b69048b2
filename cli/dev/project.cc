#include "cli/dev/project.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "cli/files.h"
#include "eider/core/json/json.h"

namespace eider::dev {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kQueries = ".cmake/api/v1/query";
constexpr std::string_view kReplies = ".cmake/api/v1/reply";

/// The required part of CMake's file API (cmake-file-api(7)).
struct Artifact {
  std::string path;
};
struct TargetReply {
  std::string name;
  std::string type;
  std::vector<Artifact> artifacts = {};
};

constexpr json::Limits kOfCMake{.unknown_members = json::UnknownMembers::kIgnore};

bool is_test(const std::string& name) {
  constexpr std::array<std::string_view, 6> kEnds{"_test",  "-test",  "_tests",
                                                  "_bench", "-bench", "_fuzz"};
  return name == "tests" ||
         std::ranges::any_of(kEnds, [&](std::string_view end) { return name.ends_with(end); });
}

std::string names_of(const std::vector<ProgramTarget>& targets) {
  std::string all;
  for (const ProgramTarget& each : targets) {
    all.append(all.empty() ? "" : ", ").append(each.name);
  }
  return all;
}

}  // namespace

void ask_for_targets(const fs::path& build) {
  std::error_code failed;
  fs::create_directories(build / kQueries, failed);
  const std::ofstream query(build / kQueries / "codemodel-v2");
}

std::vector<ProgramTarget> read_targets(const fs::path& build) {
  std::vector<ProgramTarget> found;
  std::error_code failed;
  for (fs::directory_iterator at(build / kReplies, failed), end; !failed && at != end;
       at.increment(failed)) {
    const std::string name = at->path().filename();
    const std::string text =
        name.starts_with("target-") ? read_text_file(at->path()).value_or("") : std::string();
    const auto target =
        text.empty() ? Result<TargetReply>(TargetReply{}) : json::read<TargetReply>(text, kOfCMake);
    if (target && target->type == "EXECUTABLE" && !target->artifacts.empty()) {
      found.push_back({target->name, build / target->artifacts.front().path});
    }
  }
  std::ranges::sort(found, {}, &ProgramTarget::name);
  return found;
}

Result<ProgramTarget, std::string> choose_target(const std::vector<ProgramTarget>& targets,
                                                 const std::string& wanted,
                                                 const std::string& project) {
  const std::string& name = wanted.empty() ? project : wanted;
  const auto named = std::ranges::find(targets, name, &ProgramTarget::name);
  if (named != targets.end()) {
    return *named;
  }
  if (!wanted.empty()) {
    return fail("there is no program " + wanted +
                " in this project. Programs: " + names_of(targets));
  }
  std::vector<ProgramTarget> left = targets;
  std::erase_if(left, [](const ProgramTarget& each) { return is_test(each.name); });
  if (left.size() == 1) {
    return left.front();
  }
  return fail(left.empty()
                  ? std::string("the project has no program to run. Add one with add_executable")
                  : "the project has several programs. Select one with --target: " +
                        names_of(left));
}

Result<ProjectLock, std::string> ProjectLock::take(const fs::path& build) {
  std::error_code failed;
  fs::create_directories(build, failed);
  if (failed) {
    return fail("cannot create " + build.string() + ": " + failed.message() +
                ". Use another folder for the build: --build");
  }
  const fs::path name = build / "eider-dev.lock";
  ProjectLock made;
  made.file_ = Descriptor(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!made.file_.is_open()) {
    return fail("cannot write " + name.string() + ": " + std::strerror(errno));
  }
  if (::flock(made.file_.get(), LOCK_EX | LOCK_NB) != 0) {
    const std::string told = read_text_file(name).value_or("");
    return fail("eider dev is already running for this project" +
                (told.empty() ? "" : ": " + told));
  }
  (void)!::ftruncate(made.file_.get(), 0);
  return made;
}

void ProjectLock::tell(const std::string& url) const {
  const std::string text = url + ", process " + std::to_string(::getpid());
  (void)!::pwrite(file_.get(), text.data(), text.size(), 0);
}

}  // namespace eider::dev
