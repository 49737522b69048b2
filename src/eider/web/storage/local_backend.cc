#include "eider/web/storage/local_backend.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <utility>

#include "eider/core/base/base64.h"
#include "eider/core/base/describes_only.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/reached.h"
#include "eider/core/base/secret_bytes.h"
#include "eider/io/runtime/blocking.h"
#include "eider/io/runtime/descriptor.h"
#include "eider/io/runtime/gathered_bytes.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/temp_file.h"
#include "eider/web/storage/object_file.h"

namespace eider::detail::storage {

namespace {

namespace fs = std::filesystem;

constexpr int kContentTooLarge = 413;
constexpr int kInsufficientStorage = 507;
constexpr std::size_t kNameBytes = 16;

/// An upload writes to its file all the time: one that has not changed for a day has no writer.
constexpr std::chrono::hours kLeftBehindAfter{24};

std::string random_name() {
  return to_hex(secret_bytes(kNameBytes));
}

std::string new_etag() {
  return "\"" + random_name() + "\"";
}

void make_directory(const std::string& path) {
  constexpr mode_t kForThisUserAlone = 0700;
  if (::mkdir(path.c_str(), kForThisUserAlone) != 0 && errno != EEXIST) {
    throw Failure(Error::internal("Cannot create the storage directory " + path + ": " +
                                  std::strerror(errno) +
                                  ". Create its parent, or pass another directory."));
  }
}

/// Files of processes that were killed.
void remove_left_behind(const std::string& directory) {
  const auto before = fs::file_time_type::clock::now() - kLeftBehindAfter;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    if (entry.is_regular_file(error) && entry.last_write_time(error) <= before) {
      fs::remove(entry.path(), error);
    }
  }
}

Error conflict(const std::string& key) {
  return Error::conflict("The key \"" + key +
                         "\" cannot be stored: an object's key cannot also be the directory of "
                         "other keys. Use another key.");
}

[[noreturn]] void throw_disk_error(int number, std::string_view doing) {
  throw Failure(disk_error(number, doing));
}

constexpr std::size_t kWriteBytes = std::size_t{256} * 1024;

int number_of(FileError error) noexcept {
  return error == FileError::no_space ? ENOSPC : EIO;
}

Task<> append_to(TempFile& file, std::string bytes) {
  if (const auto appended = co_await file.append(std::move(bytes)); !appended) {
    throw_disk_error(number_of(appended.error()), "write a temporary file");
  }
}

/// Pieces to a temporary file; throws if they are too many.
Task<TempFile> write_pieces(std::string directory, ContentSource source, StoredObject& object,
                            std::uint64_t bytes_max) {
  auto file = co_await TempFile::create(std::move(directory));
  if (!file) {
    throw_disk_error(number_of(file.error()), "create a temporary file");
  }
  runtime::GatheredBytes gathered(kWriteBytes);
  while (true) {
    const std::string piece = co_await source();
    if (piece.empty()) {
      break;
    }
    object.bytes += piece.size();
    if (object.bytes > bytes_max) {
      throw Failure(too_large(bytes_max));
    }
    if (gathered.add(piece)) {
      co_await append_to(*file, gathered.take());
    }
  }
  object.etag = new_etag();
  object.modified_seconds = Loop::current().wall_seconds();
  std::string last = gathered.take();
  last.append(write_footer(object));
  co_await append_to(*file, std::move(last));
  co_return std::move(*file);
}

StoredObject described(std::string key, PutOptions& options) {
  return {.key = std::move(key),
          .content_type = std::move(options.content_type),
          .filename = std::move(options.filename),
          .metadata = std::move(options.metadata)};
}

Replace replacing(const PutOptions& options) noexcept {
  return options.overwrites ? Replace::yes : Replace::no;
}

[[noreturn]] void throw_not_placed(int error, const std::string& key, const PutOptions& options) {
  if (error == EEXIST && !options.overwrites) {
    throw ObjectExists(key);
  }
  if (is_key_conflict(error)) {
    throw Failure(conflict(key));
  }
  throw_disk_error(error, "store the object " + key);
}

/// Cuts off what a crash has left after the bytes, and appends the properties.
int append_footer(const std::string& path, std::uint64_t bytes, const std::string& footer) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
  const bool is_done = file.is_open() && ::ftruncate(file.get(), static_cast<off_t>(bytes)) == 0 &&
                       runtime::write_all_at(file.get(), footer, bytes) && ::fsync(file.get()) == 0;
  return is_done ? 0 : errno;
}

}  // namespace

Error too_large(std::uint64_t bytes_max) {
  return Error(kContentTooLarge,
               "The file is larger than " + std::to_string(bytes_max) + " bytes.");
}

Error disk_error(int number, std::string_view doing) {
  std::string cause = "Cannot " + std::string(doing) + ": " + std::strerror(number);
  if (number == ENOSPC || number == EDQUOT) {
    return Error(kInsufficientStorage, "The server has no space left to store the file.")
        .because(std::move(cause) + ". Free space, or raise the quota.");
  }
  if (number == EMFILE || number == ENFILE || number == ENOMEM) {
    return Error::unavailable("The server is overloaded. Try again later.")
        .because(std::move(cause) +
                 ". Raise the limits of the process (ulimit -n), or add memory.");
  }
  return Error::internal(std::move(cause));
}

struct LocalBackend::Place {
  std::string temporary;
  Descriptor objects;
};

LocalBackend::LocalBackend(const std::string& directory) {
  Place place{directory + "/tmp", Descriptor()};
  if (!base::DescribesOnly::is_on()) {
    make_directory(directory);
    make_directory(place.temporary);
    make_directory(directory + "/objects");
    remove_left_behind(place.temporary);
    place.objects =
        Descriptor(::open((directory + "/objects").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!place.objects.is_open()) {
      throw Failure(Error::internal("Cannot open the storage directory " + directory + ": " +
                                    std::strerror(errno) + "."));
    }
    base::will_write(directory);
  }
  place_ = std::make_shared<const Place>(std::move(place));
}

Task<StoredObject> LocalBackend::put(std::string key, ContentSource source,
                                     std::optional<std::uint64_t> /*length*/,
                                     PutOptions options) const {
  StoredObject object = described(std::move(key), options);
  const TempFile file =
      co_await write_pieces(place_->temporary, std::move(source), object, options.bytes_max);
  const Result<void, int> placed = co_await run_blocking(
      [place = place_, key = object.key, file = file.descriptor(),
       path = place_->temporary + "/" + random_name(), replace = replacing(options)] {
        return place_open_file(place->objects.get(), key, file->get(), path, replace);
      });
  if (!placed) {
    throw_not_placed(placed.error(), object.key, options);
  }
  co_return object;
}

Task<StoredObject> LocalBackend::put_file(std::string key, WrittenFile file,
                                          PutOptions options) const {
  StoredObject object = described(std::move(key), options);
  object.bytes = file.bytes;
  object.etag = new_etag();
  object.modified_seconds = Loop::current().wall_seconds();
  // One call on the pool, so that no other request finds the file between the two steps.
  const Result<void, int> placed =
      co_await run_blocking([place = place_, key = object.key, file, footer = write_footer(object),
                             replace = replacing(options)]() -> Result<void, int> {
        if (const int error = append_footer(file.path, file.bytes, footer)) {
          return fail(error);
        }
        return place_object(place->objects.get(), key, file.path, replace);
      });
  if (!placed) {
    throw_not_placed(placed.error(), object.key, options);
  }
  co_return object;
}

Task<std::optional<StoredObject>> LocalBackend::head(std::string key) const {
  std::optional<OpenedObject> opened = co_await get(std::move(key), {}, {});
  if (!opened) {
    co_return std::nullopt;
  }
  co_return std::move(opened->about);
}

Task<std::optional<OpenedObject>> LocalBackend::get(std::string key, ObjectRange range,
                                                    std::string if_etag) const {
  Result<std::optional<OpenedObject>, int> opened = co_await run_blocking(
      [place = place_, key] { return open_object(place->objects.get(), key); });
  if (!opened) {
    throw_disk_error(opened.error(), "read the object " + key);
  }
  if (!*opened || (!if_etag.empty() && (*opened)->about.etag != if_etag)) {
    co_return std::nullopt;
  }
  choose_part(**opened, range);
  co_return std::move(*opened);
}

Task<> LocalBackend::remove(std::string key) const {
  const Result<bool, int> removed = co_await run_blocking(
      [place = place_, key] { return delete_object(place->objects.get(), key); });
  if (!removed) {
    throw_disk_error(removed.error(), "delete the object " + key);
  }
}

Task<ObjectPage> LocalBackend::list(std::string prefix, ListOptions options) const {
  Result<ObjectPage, int> page = co_await run_blocking([place = place_, prefix, options] {
    return list_objects(place->objects.get(), prefix, options);
  });
  if (!page) {
    throw_disk_error(page.error(), "list objects");
  }
  co_return std::move(*page);
}

}  // namespace eider::detail::storage
