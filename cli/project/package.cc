#include "cli/project/package.h"

#include <fmt/format.h>
#include <gnu/libc-version.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

#include "cli/files.h"
#include "cli/json_line.h"
#include "cli/project/project.h"
#include "cli/project/words.h"

namespace eider {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPackageHelp =
    R"(eider package [--format tar|oci] [--output DIR] [--with PATH …] [--json]

Builds the project, optimized, in build/package and packages the program with its shared libraries,
licenses and a bill of materials (CycloneDX). The folders assets, languages, migrations, public and
static are included if they exist, without hidden files, except .well-known. Packages are
reproducible: the same sources result in the same bytes.

--format tar   NAME-VERSION-linux-ARCH.tar.gz, which runs from any folder: bin/NAME finds lib/ next
               to it. It needs only glibc, of this machine's version or newer (default)
--format oci   Folder NAME-VERSION-oci, a container image that includes glibc; built without a
               daemon. It runs as user 10001 and listens on 0.0.0.0:8080
--output DIR   Output directory (default: build/packages)
--with PATH    Additional file or folder of the project; can be repeated
--json         Report the package as JSON
--project DIR  Project folder (default: the nearest one, here or above)

  eider package
  eider package --format oci && skopeo copy oci:build/packages/shop-0.1.0-oci docker://registry/shop

The files get the time in SOURCE_DATE_EPOCH (default: the time of the last git commit).

Exit codes: 0 success, 1 failure, 2 invalid usage
)";

constexpr std::array<std::string_view, 5> kFolders = {"assets", "languages", "migrations", "public",
                                                      "static"};
constexpr std::array<std::string_view, 3> kLicenses = {"LICENSE", "COPYING", "NOTICE"};
constexpr std::string_view kAuthorities = "/etc/ssl/certs/ca-certificates.crt";

using Done = Result<void, std::string>;

/// The package while it is being created.
struct Packing {
  const Project& project;
  const PackageWanted& wanted;
  std::string version;
  /// Folder that becomes the root of the archive or image.
  std::string root;
};

/// Copies a file or folder, and follows a link.
Done copy_to_package(const fs::path& from, const fs::path& to) {
  std::error_code failed;
  fs::create_directories(to.parent_path(), failed);
  fs::copy_file(from, to, fs::copy_options::overwrite_existing, failed);
  return failed ? Done(fail(fmt::format("cannot copy {} to {}: {}", from.string(), to.string(),
                                        failed.message())))
                : Done();
}

Done copy_below(const Packing& packing, const std::string& name) {
  const fs::path path = fs::path(name).lexically_normal();
  if (path.is_absolute() || path.empty() || *path.begin() == "..") {
    return fail(fmt::format("{} is outside of the project folder and cannot be packaged", name));
  }
  const fs::path from = packing.project.root / path;
  const fs::path to = packing.root / path;
  if (!fs::exists(from)) {
    return fail(fmt::format("{} does not exist in {}", name, packing.project.root));
  }
  std::error_code failed;
  fs::create_directories(to.parent_path(), failed);
  // A link is replaced by the folder that it refers to; links below it are kept.
  fs::copy(fs::canonical(from, failed), to,
           fs::copy_options::recursive | fs::copy_options::copy_symlinks |
               fs::copy_options::overwrite_existing,
           failed);
  return failed ? Done(fail(fmt::format("cannot copy {}: {}", from.string(), failed.message())))
                : Done();
}

/// Hidden files, such as .env, are rarely public, so they are removed; .well-known is kept.
void leave_out_hidden(const Packing& packing, const fs::path& folder) {
  std::vector<fs::path> hidden;
  for (auto each = fs::recursive_directory_iterator(folder); each != fs::end(each); ++each) {
    const std::string name = each->path().filename().string();
    if (name.starts_with('.') && name != ".well-known") {
      hidden.push_back(each->path());
      each.disable_recursion_pending();
    }
  }
  for (const fs::path& path : hidden) {
    print_error("eider package: skipped {}; add this file with --with\n",
                path.lexically_relative(packing.root).string());
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
}

/// A file that only its owner can read, in a folder that others can read, is private on purpose,
/// but everyone could read it in the package. With a umask of 077, folders are private, too.
Done check_none_is_private(const Packing& packing, const fs::path& folder) {
  constexpr fs::perms kOthers = fs::perms::group_all | fs::perms::others_all;
  const auto is_private = [](const fs::path& path) {
    return (fs::status(path).permissions() & kOthers) == fs::perms::none;
  };
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && !entry.is_symlink() && is_private(entry.path()) &&
        !is_private(entry.path().parent_path())) {
      const std::string name = entry.path().lexically_relative(packing.root).string();
      return fail(
          fmt::format("only you can read {}, but a package is readable for everyone. Move the file "
                      "out of the folder, or run: chmod a+r {}",
                      name, name));
    }
  }
  return {};
}

Done copy_files(const Packing& packing) {
  for (const std::string_view folder : kFolders) {
    if (!fs::is_directory(fs::path(packing.project.root) / folder)) {
      continue;
    }
    if (auto done = copy_below(packing, std::string(folder)); !done) {
      return done;
    }
    const fs::path packed = packing.root / fs::path(folder);
    leave_out_hidden(packing, packed);
    if (auto done = check_none_is_private(packing, packed); !done) {
      return done;
    }
  }
  for (const std::string& name : packing.wanted.more) {
    if (auto done = copy_below(packing, name); !done) {
      return done;
    }
  }
  return {};
}

Done copy_licenses(const Packing& packing, const std::vector<SystemPackage>& packages) {
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(packing.project.root, failed)) {
    const std::string name = entry.path().filename().string();
    const auto begins = [&](std::string_view word) { return name.starts_with(word); };
    if (entry.is_regular_file() && std::ranges::any_of(kLicenses, begins)) {
      if (auto done = copy_to_package(entry.path(), packing.root + "/licenses/" + name); !done) {
        return done;
      }
    }
  }
  for (const SystemPackage& package : packages) {
    const std::string file = fmt::format("/usr/share/doc/{}/copyright", package.name);
    if (!package.version.empty() && fs::exists(file)) {
      if (auto done = copy_to_package(file, packing.root + "/licenses/" + package.name); !done) {
        return done;
      }
    }
  }
  return {};
}

/// Copies the loader, and the certificates and /tmp that programs expect in an image.
Done copy_system(const Packing& packing, const Closure& closure) {
  std::error_code failed;
  fs::create_directories(packing.root + "/tmp", failed);
  if (fs::exists(kAuthorities)) {
    if (auto done = copy_to_package(kAuthorities, packing.root + std::string(kAuthorities));
        !done) {
      return done;
    }
  }
  return closure.loader.empty() ? Done()
                                : copy_to_package(closure.loader, packing.root + closure.loader);
}

/// Checks that the packed program loads only the libraries in its package.
Done check_closure(const Packing& packing, const std::string& program) {
  const auto closure = closure_of(program);
  if (!closure) {
    return fail(closure.error());
  }
  const fs::path own = fs::canonical(packing.root);
  for (const SharedLibrary& each : closure->libraries) {
    const std::string path = fs::weakly_canonical(each.path).string();
    if (!each.is_system && !path.starts_with(own.string() + "/")) {
      return fail(
          fmt::format("the program would load {} from {}. Link it with "
                      "-Wl,--disable-new-dtags,-rpath,'$ORIGIN/../lib', which is missing in "
                      "CMAKE_EXE_LINKER_FLAGS of the preset",
                      each.name, each.path));
    }
  }
  return {};
}

Done fill(const Packing& packing, const std::string& program) {
  const bool is_image = packing.wanted.format == PackageFormat::oci;
  const auto closure = closure_of(program);
  if (!closure) {
    return fail(closure.error());
  }
  std::vector<SharedLibrary> packed = closure->libraries;
  std::erase_if(packed, [&](const SharedLibrary& each) { return each.is_system && !is_image; });
  const std::string own = packing.root + "/bin/" + packing.project.name;
  auto done = copy_to_package(program, own);
  for (std::size_t i = 0; done && i != packed.size(); ++i) {
    done = copy_to_package(packed[i].path, packing.root + "/lib/" + packed[i].name);
  }
  if (done && is_image) {
    done = copy_system(packing, *closure);
  }
  if (done) {
    done = check_closure(packing, own);
  }
  const auto packages = packages_of(packed);
  if (!done || !packages) {
    return done ? fail(packages.error()) : done;
  }
  const auto bill = cyclonedx_of({.name = packing.project.name,
                                  .version = packing.version,
                                  .distribution = distribution_here(),
                                  .packages = *packages});
  if (!bill) {
    return fail(bill.error());
  }
  done = copy_licenses(packing, *packages);
  if (done) {
    done = copy_files(packing);
  }
  return done ? write_text_file(packing.root + "/sbom.cdx.json", *bill) : done;
}

/// errors   SOURCE_DATE_EPOCH is not a number
Result<std::int64_t, std::string> source_time(const Project& project) {
  std::string text;
  if (const char* said = std::getenv("SOURCE_DATE_EPOCH"); said != nullptr && *said != '\0') {
    text = said;
  } else {
    // Warnings and the check of a signature (log.showSignature) are not part of the time.
    const auto committed = run_program(
        {.words = {"git", "-C", project.root, "log", "-1", "--no-show-signature", "--format=%ct"},
         .output = ProgramCall::Output::kept_without_errors});
    if (committed && committed->is_stopped) {
      return fail(std::string(kWasStopped));
    }
    if (!committed || !committed->is_good()) {
      return 0;
    }
    text = committed->output.substr(0, committed->output.find('\n'));
  }
  std::int64_t time = -1;
  const char* const end = text.data() + text.size();
  if (std::from_chars(text.data(), end, time).ptr != end || time < 0) {
    return fail(
        fmt::format("SOURCE_DATE_EPOCH must be a number of seconds since 1970, not {}", text));
  }
  return time;
}

/// Sets standard permissions, so that the package does not depend on the umask of this machine and
/// of the authors of the files.
void even_rights(const std::string& folder) {
  constexpr fs::perms kFile = fs::perms::owner_read | fs::perms::owner_write |
                              fs::perms::group_read | fs::perms::others_read;
  constexpr fs::perms kProgram =
      kFile | fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_symlink()) {
      const bool runs = entry.is_directory() ||
                        (entry.status().permissions() & fs::perms::owner_exec) != fs::perms::none;
      fs::permissions(entry.path(), runs ? kProgram : kFile, ignored);
    }
  }
  fs::permissions(folder, kProgram, ignored);
  if (fs::exists(folder + "/tmp")) {
    fs::permissions(folder + "/tmp", fs::perms::all | fs::perms::sticky_bit, ignored);
  }
}

/// Packs `what` of the folder: without an owner, ordered by name, with that modification time.
Done write_tar(const std::string& folder, const std::string& what, const std::string& file,
               std::int64_t time) {
  const auto said = run_quietly(
      {"tar", "--create", "--file", file, "--format=gnu", "--sort=name", "--owner=0", "--group=0",
       "--numeric-owner", fmt::format("--mtime=@{}", time), "--directory", folder, "--", what});
  return said ? Done() : Done(fail(said.error()));
}

Result<Package, std::string> write_archive(const Packing& packing, const TemporaryDirectory& stage,
                                           std::int64_t time) {
  Package made{.path = {}, .name = packing.project.name, .version = packing.version};
  const std::string name =
      fmt::format("{}-{}-linux-{}", made.name, made.version, architecture_here());
  // With one top-level folder, so that unpacking does not scatter files.
  const std::string outer = stage.path() + "/outer";
  const std::string tar = stage.path() + "/archive";
  std::error_code failed;
  fs::create_directory(outer, failed);
  fs::rename(packing.root, outer + "/" + name, failed);
  if (auto done = write_tar(outer, name, tar, time); !done) {
    return fail(done.error());
  }
  if (const auto said = run_quietly({"gzip", "-n", "-6", "-f", "--", tar}); !said) {
    return fail(said.error());
  }
  made.path = fmt::format("{}/{}.tar.gz", packing.wanted.output, name);
  auto digest = sha256_of_file(tar + ".gz");
  if (!digest) {
    return fail(digest.error());
  }
  made.digest = std::move(*digest);
  fs::rename(tar + ".gz", made.path, failed);
  return failed ? Result<Package, std::string>(
                      fail(fmt::format("cannot write {}: {}", made.path, failed.message())))
                : std::move(made);
}

Result<Package, std::string> write_image(const Packing& packing, const TemporaryDirectory& stage,
                                         std::int64_t time) {
  Package made{.path = {}, .name = packing.project.name, .version = packing.version};
  made.path = fmt::format("{}/{}-{}-oci", packing.wanted.output, made.name, made.version);
  const std::string layer = stage.path() + "/layer";
  const std::string folder = stage.path() + "/image";
  OciImage image{
      .layer = layer,
      .name = made.name,
      .version = made.version,
      .created = time,
      .program = "/bin/" + made.name,
      .environment = {"PATH=/bin", "EIDER_LISTEN=0.0.0.0:8080", "EIDER_DRAIN_SECONDS=8"}};
  if (fs::exists(packing.root + std::string(kAuthorities))) {
    image.environment.push_back("SSL_CERT_FILE=" + std::string(kAuthorities));
  }
  auto done = write_tar(packing.root, ".", layer, time);
  if (done) {
    done = write_oci_layout(folder, image);
  }
  if (!done) {
    return fail(done.error());
  }
  std::error_code failed;
  if (fs::exists(made.path) && !fs::exists(made.path + "/oci-layout")) {
    return fail(fmt::format("{} exists and is not an image. Delete it", made.path));
  }
  fs::remove_all(made.path, failed);
  fs::rename(folder, made.path, failed);
  return failed ? Result<Package, std::string>(
                      fail(fmt::format("cannot write {}: {}", made.path, failed.message())))
                : std::move(made);
}

std::string behind_own(const char* name, std::string_view flags) {
  const char* own = std::getenv(name);
  return own == nullptr || *own == '\0' ? std::string(flags) : fmt::format("{} {}", own, flags);
}

/// The program loads libraries from its own package. This needs the older RPATH tag, because the
/// newer one does not apply to indirect dependencies. Source paths in the program do not reveal
/// where it was built.
std::vector<std::pair<std::string, std::string>> environment_for(const Project& project,
                                                                 std::int64_t time) {
  std::vector<std::pair<std::string, std::string>> all = {
      {"LDFLAGS", behind_own("LDFLAGS", "-Wl,--disable-new-dtags -Wl,-rpath,'$ORIGIN/../lib'")},
      {"SOURCE_DATE_EPOCH", std::to_string(time)},
      // If the path of the project contains a link, CMake would use the link's name, which is not
      // mapped.
      {"PWD", project.root}};
  // CMake separates list items with semicolons, and the option separates its two parts with '='.
  const auto can_be_mapped = [](char each) {
    return static_cast<unsigned char>(each) >= ' ' &&
           std::string_view(R"(;="\$`#)").find(each) == std::string_view::npos;
  };
  if (std::ranges::all_of(project.root, can_be_mapped)) {
    // CMake's cache removes quotes around a whole value: at the next run of CMake the flags would
    // differ, and everything would be recompiled.
    const std::string map = "-ffile-prefix-map=" + shell_quoted(project.root + "=.");
    all.emplace_back("CXXFLAGS", behind_own("CXXFLAGS", map));
    all.emplace_back("CFLAGS", behind_own("CFLAGS", map));
  }
  return all;
}

Result<Package, std::string> pack(const Project& project, const PackageWanted& wanted,
                                  const Build& build, std::int64_t time) {
  const auto program = program_of(build);
  if (!program) {
    return fail(fmt::format("{} has no program called {}, so there is nothing to package",
                            build.directory(), project.name));
  }
  const auto stage = TemporaryDirectory::create(wanted.output, ".packing-");
  if (!stage) {
    return fail(stage.error());
  }
  const Packing packing{project, wanted, version_of(build), stage->path() + "/root"};
  if (const auto done = fill(packing, *program); !done) {
    return fail(done.error());
  }
  even_rights(packing.root);
  return wanted.format == PackageFormat::oci ? write_image(packing, *stage, time)
                                             : write_archive(packing, *stage, time);
}

/// The output of --json.
///
/// sha256  only for an archive
struct PackedReport {
  std::string name;
  std::string version;
  std::string path;
  std::optional<std::string> sha256;
};

PackedReport packed_report(const Package& made, const std::string& path) {
  return {made.name, made.version, path,
          made.digest.empty() ? std::nullopt : std::optional(made.digest)};
}

Result<PackageFormat, std::string> format_of(const std::string& text) {
  if (text != "tar" && text != "oci") {
    return fail(fmt::format("--format must be tar or oci, not {}", text));
  }
  return text == "oci" ? PackageFormat::oci : PackageFormat::tar;
}

StepEnd failed_step(std::string why) {
  const int status = why == kWasStopped ? kCommandStopped : kCommandFailed;
  return {status, std::move(why)};
}

}  // namespace

Result<Package, StepEnd> make_package(const Project& project, const PackageWanted& wanted,
                                      ProgramCall::Output output) {
  const auto time = source_time(project);
  if (!time) {
    return fail(failed_step(time.error()));
  }
  const Build build{project, "release", output, "package", environment_for(project, *time)};
  // Tests are not packed, so they are not compiled.
  if (const StepEnd built = build_project(build, project.name); !built.is_good()) {
    return fail(built);
  }
  auto package = pack(project, wanted, build, *time);
  return package ? Result<Package, StepEnd>(std::move(*package))
                 : fail(failed_step(package.error()));
}

int package_command(std::span<const std::string_view> arguments) {
  if (is_help(arguments, kPackageHelp)) {
    return kCommandDone;
  }
  CommandWords words(arguments);
  const auto format = format_of(words.value("--format", "tar|oci").value_or("tar"));
  if (!format) {
    return command_misused("package", format.error());
  }
  const auto output = words.value("--output", "DIR");
  const auto more = words.values("--with", "PATH");
  const bool is_json = words.flag("--json");
  const auto in = in_project("package", words, {}, 0);
  if (!in) {
    return in.error();
  }
  const PackageWanted wanted{
      .format = *format,
      .output = output ? fs::absolute(*output).string() : in->project.root + "/build/packages",
      .more = more};
  const auto made = make_package(in->project, wanted, ProgramCall::Output::as_errors);
  if (!made) {
    return told_end("package", made.error());
  }
  const std::string path = fs::path(made->path).lexically_proximate(fs::current_path()).string();
  fmt::print("{}", is_json ? json_line(packed_report(*made, path)) : path + "\n");
  if (wanted.format == PackageFormat::tar) {
    print_error("needs glibc {} or later; sha256 {}\n", gnu_get_libc_version(), made->digest);
  }
  return kCommandDone;
}

}  // namespace eider
