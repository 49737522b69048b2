// Stores files of clients in a directory under generated names.
// Layering: must not know owners; original names, sizes and owners are rows of the application.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "eider/io/runtime/task.h"
#include "eider/io/runtime/temp_file.h"
#include "eider/web/files/file_server.h"

namespace eider {

/// Uploaded files, as a state: `app.state<FileStore>("uploads")`. Store the name of a file in a
/// row, with its original name:
///
///     TempFile file = co_await part->save(kept->directory());
///     const std::string name = FileStore::new_name();
///     …                                            // insert the row, with the name
///     co_await kept->keep(std::move(file), name);
///     …                                            // commit
///
/// In this order, each visible row has its file. A file without a row, after a crash before the
/// commit, is deleted by `remove_all_but` at the next start.
class FileStore {
 public:
  /// Creates the directory if it is missing, only for this user. Throws a Failure with the reason
  /// if it cannot be opened.
  explicit FileStore(std::string directory);

  [[nodiscard]] const std::string& directory() const noexcept { return directory_; }
  /// Returns 32 random hexadecimal digits.
  [[nodiscard]] static std::string new_name();

  /// Stores the file; after the return it is on the disk.
  ///
  /// errors  throws a Failure with 500 for an existing name, for a name that is not from new_name,
  ///         and if the disk is full
  [[nodiscard]] Task<> keep(TempFile file, std::string name) const;

  /// Returns a download that browsers save as `shown_as` and never display:
  /// application/octet-stream, with Content-Disposition and `nosniff`; ranges and preconditions as
  /// in FileServer. 404 if the file does not exist. Pre: on an event loop; this and `request`
  /// outlive the task.
  [[nodiscard]] Task<Response> download(std::string name, std::string shown_as,
                                        const Request& request) const;

  /// Deletes files, after their rows were deleted. Files that cannot be deleted remain for
  /// remove_all_but.
  [[nodiscard]] Task<> remove(std::vector<std::string> names) const;

  /// Deletes files without a row. Files whose names are not from new_name stay, in case the
  /// directory is wrong.
  ///
  /// names  of all rows
  /// age    minimum time since the file was written: younger files may belong to rows of another
  ///        process that are not committed yet
  [[nodiscard]] Task<> remove_all_but(std::vector<std::string> names,
                                      std::chrono::seconds age = std::chrono::hours(1)) const;

 private:
  [[nodiscard]] std::string path_of(const std::string& name) const {
    return directory_ + "/" + name;
  }

  std::string directory_;
  FileServer files_;
};

}  // namespace eider
