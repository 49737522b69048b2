#include "eider/web/storage/upload_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <utility>

#include "eider/core/base/base64.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/secret_bytes.h"
#include "eider/core/base/text.h"
#include "eider/core/json/json.h"
#include "eider/io/runtime/descriptor.h"
#include "eider/web/storage/local_backend.h"

namespace eider::detail::storage {

namespace {

namespace fs = std::filesystem;

constexpr mode_t kPrivateFile = 0600;
constexpr mode_t kPrivateDirectory = 0700;
constexpr std::size_t kIdBytes = 32;
constexpr std::size_t kInfoBytesMax = std::size_t{64} * 1024;
/// Two requests at the same time make an upload in any order.
constexpr std::chrono::hours kLeftFilesAfter{1};
/// Uploads without a new byte for so long can be deleted for new ones.
constexpr std::chrono::hours kIdleAfter{1};
/// The sweep of another group has had this time to delete its expired uploads.
constexpr std::chrono::hours kAbandonedAfter{24};

[[noreturn]] void throw_upload_error(int number, const std::string& path) {
  throw Failure(disk_error(number, "use the upload " + path));
}

void check_call(bool is_done, const std::string& path) {
  if (!is_done) {
    throw_upload_error(errno, path);
  }
}

Descriptor open_upload_file(const std::string& path, int flags) {
  return Descriptor(::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, kPrivateFile));
}

/// A small file; nothing if it does not exist. A file that cannot be read is not one that does not
/// exist: without its text, bytes that were not verified would count.
std::optional<std::string> read_small(const std::string& path) {
  const Descriptor fd = open_upload_file(path, O_RDONLY);
  if (!fd.is_open() && errno == ENOENT) {
    return std::nullopt;
  }
  std::string text(kInfoBytesMax, '\0');
  const ssize_t count = fd.is_open() ? ::read(fd.get(), text.data(), text.size()) : -1;
  check_call(count >= 0, path);
  if (static_cast<std::size_t>(count) == text.size()) {
    throw_upload_error(EFBIG, path);
  }
  text.resize(static_cast<std::size_t>(count));
  return text;
}

void sync_upload_directory(const std::string& path) {
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  check_call(fd.is_open() && ::fsync(fd.get()) == 0, path);
}

/// All of the old or all of the new text, also after a crash.
void replace_small(const std::string& directory, const std::string& path, std::string_view text) {
  const std::string made = path + "." + to_hex(secret_bytes(8));
  {
    const Descriptor fd = open_upload_file(made, O_WRONLY | O_CREAT | O_EXCL);
    const bool is_written = fd.is_open() && runtime::write_all_at(fd.get(), text, 0) &&
                            ::fsync(fd.get()) == 0 && ::rename(made.c_str(), path.c_str()) == 0;
    if (!is_written) {
      const int error = errno;
      ::unlink(made.c_str());
      throw_upload_error(error, path);
    }
  }
  sync_upload_directory(directory);
}

/// Waits for the lock.
bool lock_exclusively(int fd) noexcept {
  int result = 0;
  do {
    result = ::flock(fd, LOCK_EX);
  } while (result != 0 && errno == EINTR);
  return result == 0;
}

/// Nothing if it is not valid.
std::optional<UploadInfo> read_record(std::string_view text) {
  auto info = json::read<UploadInfo>(text, {.unknown_members = json::UnknownMembers::kIgnore});
  return info ? std::optional(std::move(*info)) : std::nullopt;
}

/// The size of a file; nothing if it does not exist.
std::optional<std::uint64_t> size_of(const std::string& path) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) != 0) {
    check_call(errno == ENOENT, path);
    return std::nullopt;
  }
  if (!S_ISREG(status.st_mode)) {
    throw_upload_error(EINVAL, path);
  }
  return static_cast<std::uint64_t>(status.st_size);
}

/// Whether there is certainly nothing with that name.
bool is_certainly_absent(const std::string& path) noexcept {
  struct stat status{};
  return ::lstat(path.c_str(), &status) != 0 && errno == ENOENT;
}

}  // namespace

UploadDirectory::UploadDirectory(std::string path, std::string group)
    : path_(std::move(path)), group_(std::move(group)) {
  if (::mkdir(path_.c_str(), kPrivateDirectory) != 0 && errno != EEXIST) {
    throw Failure(Error::internal("Cannot create the directory for uploads " + path_ + ": " +
                                  std::strerror(errno) +
                                  ". Create its parent, or set another one."));
  }
}

bool UploadDirectory::is_id(std::string_view id) noexcept {
  return id.size() == kIdBytes &&
         id.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string UploadDirectory::file(const std::string& id, std::string_view ending) const {
  return path_ + "/" + id + "." + std::string(ending);
}

std::optional<UploadInfo> UploadDirectory::read_info(const std::string& id) const {
  const std::string path = file(id, "json");
  const auto text = read_small(path);
  if (!text) {
    return std::nullopt;
  }
  auto info = read_record(*text);
  if (!info) {
    throw Failure(Error::internal("The record of an upload is not valid JSON: " + path +
                                  ". Delete it, or wait until it is deleted."));
  }
  const bool is_mine = info->group.empty() || info->group == group_;
  return is_mine ? std::move(info) : std::nullopt;
}

/// Where a part begins that was not verified.
std::optional<std::uint64_t> UploadDirectory::checked_offset(const std::string& id) const {
  const std::string path = file(id, "check");
  const auto text = read_small(path);
  if (!text) {
    return std::nullopt;
  }
  const auto offset = parse_uint64(*text);
  if (!offset) {
    throw_upload_error(EINVAL, path);
  }
  return offset;
}

/// Finished uploads are not among them: their bytes have been moved.
std::vector<UploadDirectory::Incomplete> UploadDirectory::incomplete() const {
  std::vector<Incomplete> all;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path_, error)) {
    const std::string name = entry.path().filename();
    if (name.size() != kIdBytes + 5 || !name.ends_with(".data")) {
      continue;
    }
    Incomplete upload{.id = name.substr(0, kIdBytes), .written = entry.last_write_time(error)};
    try {
      upload.arrived = size_of(data_path(upload.id)).value_or(0);
      upload.bytes = upload.arrived;
      const auto text = read_small(file(upload.id, "json"));
      if (const auto info = text ? read_record(*text) : std::nullopt) {
        upload.bytes = info->bytes;
      }
      // Bytes whose checksum was not verified are removed before the next part.
      upload.arrived = std::min(upload.arrived, checked_offset(upload.id).value_or(upload.arrived));
    } catch (const Failure&) {
      // A file that cannot be read must not stop the creation of other uploads.
    }
    all.push_back(std::move(upload));
  }
  return all;
}

/// Deletes the upload unless a request uses it.
bool UploadDirectory::remove_idle(const Incomplete& upload) const {
  const Descriptor fd = open_upload_file(file(upload.id, "lock"), O_RDWR | O_CREAT);
  if (!fd.is_open() || ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    return false;
  }
  std::error_code error;
  const bool is_idle = fs::last_write_time(data_path(upload.id), error) == upload.written;
  if (is_idle && !error) {
    remove(upload.id);
  }
  return is_idle && !error;
}

/// Returns the limit that the new upload would exceed.
std::optional<UploadDirectory::Refusal> UploadDirectory::make_room(std::uint64_t bytes,
                                                                   const Limits& limits) const {
  std::vector<Incomplete> all = incomplete();
  std::size_t count = all.size();
  std::uint64_t total = 0;
  for (const Incomplete& upload : all) {
    total += std::min(upload.bytes, limits.bytes_max);  // the sum cannot overflow
  }
  const auto refusal = [&](std::size_t others,
                           std::uint64_t their_bytes) -> std::optional<Refusal> {
    if (others >= limits.count_max) {
      return Refusal::too_many;
    }
    const bool has_room =
        their_bytes <= limits.bytes_max && bytes <= limits.bytes_max - their_bytes;
    return has_room ? std::nullopt : std::optional(Refusal::too_many_bytes);
  };
  const auto idle_since = fs::file_time_type::clock::now() - kIdleAfter;
  // The sweep stores complete ones.
  std::erase_if(all, [&](const Incomplete& upload) {
    return upload.arrived >= upload.bytes || upload.written > idle_since;
  });
  std::uint64_t idle_bytes = 0;
  for (const Incomplete& upload : all) {
    idle_bytes += std::min(upload.bytes, limits.bytes_max);
  }
  // Nothing is deleted for a new upload that would be refused nevertheless.
  if (const auto refused = refusal(count - all.size(), total - idle_bytes)) {
    return refused;
  }
  std::ranges::sort(all, {}, &Incomplete::written);
  for (const Incomplete& upload : all) {
    if (!refusal(count, total)) {
      break;
    }
    if (remove_idle(upload)) {
      --count;
      total -= std::min(upload.bytes, limits.bytes_max);
    }
  }
  return refusal(count, total);
}

Result<void, UploadDirectory::Refusal> UploadDirectory::create(const std::string& id,
                                                               UploadInfo info,
                                                               const Limits& limits) const {
  // Creations of all processes, one after another: together they would exceed the limits.
  const Descriptor directory(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  check_call(directory.is_open() && lock_exclusively(directory.get()), path_);
  if (const auto refusal = make_room(info.bytes, limits)) {
    return fail(*refusal);
  }
  {
    const std::string path = data_path(id);
    const Descriptor fd = open_upload_file(path, O_WRONLY | O_CREAT | O_EXCL);
    check_call(fd.is_open(), path);
  }
  info.group = group_;
  save(id, info);
  return {};
}

Result<LockedUpload, UploadDirectory::Refusal> UploadDirectory::lock(const std::string& id) const {
  if (!is_id(id) || !size_of(file(id, "json"))) {
    return fail(Refusal::absent);
  }
  const std::string path = file(id, "lock");
  auto fd = std::make_shared<const Descriptor>(open_upload_file(path, O_RDWR | O_CREAT));
  check_call(fd->is_open(), path);
  if (::flock(fd->get(), LOCK_EX | LOCK_NB) != 0) {
    check_call(errno == EWOULDBLOCK, path);
    return fail(Refusal::locked);
  }
  // Read under the lock: it may have been deleted meanwhile.
  auto info = read_info(id);
  if (!info) {
    if (is_certainly_absent(file(id, "json"))) {
      ::unlink(path.c_str());
    }
    return fail(Refusal::absent);
  }
  if (info->is_done) {
    ::unlink(path.c_str());  // nothing can be changed any more
    return LockedUpload{std::move(fd), std::move(*info), std::nullopt};
  }
  if (const auto offset = checked_offset(id)) {
    cut(id, *offset);
    accept_part(id);
  }
  return LockedUpload{std::move(fd), std::move(*info), size_of(data_path(id))};
}

std::optional<LockedUpload> UploadDirectory::look(const std::string& id) const {
  if (!is_id(id)) {
    return std::nullopt;
  }
  auto info = read_info(id);
  if (!info) {
    return std::nullopt;
  }
  const auto unchecked = checked_offset(id);
  return LockedUpload{nullptr, std::move(*info), unchecked ? unchecked : size_of(data_path(id))};
}

void UploadDirectory::write(const std::string& id, std::uint64_t offset,
                            std::string_view bytes) const {
  const std::string path = data_path(id);
  const Descriptor fd = open_upload_file(path, O_WRONLY);
  check_call(fd.is_open() && runtime::write_all_at(fd.get(), bytes, offset), path);
}

void UploadDirectory::sync(const std::string& id) const {
  const std::string path = data_path(id);
  const Descriptor fd = open_upload_file(path, O_WRONLY);
  check_call(fd.is_open() && ::fsync(fd.get()) == 0, path);
}

void UploadDirectory::begin_part(const std::string& id, std::uint64_t offset) const {
  replace_small(path_, file(id, "check"), std::to_string(offset));
}

void UploadDirectory::accept_part(const std::string& id) const {
  const std::string path = file(id, "check");
  check_call(::unlink(path.c_str()) == 0 || errno == ENOENT, path);
  sync_upload_directory(path_);
}

void UploadDirectory::cut(const std::string& id, std::uint64_t offset) const {
  const std::string path = data_path(id);
  check_call(::truncate(path.c_str(), static_cast<off_t>(offset)) == 0, path);
}

void UploadDirectory::save(const std::string& id, const UploadInfo& info) const {
  replace_small(path_, file(id, "json"), json::to_text(info));
}

void UploadDirectory::save_done(const std::string& id, const UploadInfo& info) const {
  save(id, info);
  ::unlink(file(id, "lock").c_str());
}

void UploadDirectory::remove(const std::string& id) const {
  // Without ID.json the upload does not exist: the sweep deletes the other files after a crash.
  for (const std::string_view ending : {"json", "data", "check", "lock"}) {
    std::error_code error;
    fs::remove(file(id, ending), error);  // also an empty directory
  }
}

bool UploadDirectory::is_abandoned(const std::string& id, std::int64_t now_seconds) const {
  constexpr std::int64_t kMargin = std::chrono::seconds(kAbandonedAfter).count();
  const std::string path = file(id, "json");
  std::optional<UploadInfo> info;
  try {
    const auto text = read_small(path);
    if (!text) {
      return false;
    }
    info = read_record(*text);
  } catch (const Failure&) {
    // A record that cannot be read is treated like an invalid one.
  }
  if (info) {
    return !info->group.empty() && info->group != group_ &&
           info->expires_seconds <= now_seconds - kMargin;
  }
  std::error_code error;
  const auto written = fs::last_write_time(path, error);
  return !error && written <= fs::file_time_type::clock::now() - kAbandonedAfter;
}

bool UploadDirectory::remove_abandoned(const std::string& id, std::int64_t now_seconds) const {
  if (!is_abandoned(id, now_seconds)) {
    return false;
  }
  const Descriptor fd = open_upload_file(file(id, "lock"), O_RDWR | O_CREAT);
  if (!fd.is_open() || ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0 ||
      !is_abandoned(id, now_seconds)) {
    return false;
  }
  remove(id);
  return true;
}

std::vector<std::string> UploadDirectory::ids() const {
  std::vector<std::string> all;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path_, error)) {
    const std::string name = entry.path().filename();
    if (name.size() == kIdBytes + 5 && name.ends_with(".json") &&
        is_id(std::string_view(name).substr(0, kIdBytes))) {
      all.push_back(name.substr(0, kIdBytes));
    }
  }
  return all;
}

void UploadDirectory::remove_left_behind() const {
  const auto before = fs::file_time_type::clock::now() - kLeftFilesAfter;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path_, error)) {
    const std::string name = entry.path().filename();
    const std::string id = name.substr(0, kIdBytes);
    // "ID.json.5f…" was to replace ID.json.
    const bool is_of_none = !name.ends_with(".json") && is_certainly_absent(file(id, "json"));
    const bool is_replacement =
        name.find(".json.") != std::string::npos || name.find(".check.") != std::string::npos;
    if (is_id(id) && (is_of_none || is_replacement) && entry.last_write_time(error) <= before) {
      fs::remove(entry.path(), error);
    }
  }
}

}  // namespace eider::detail::storage
