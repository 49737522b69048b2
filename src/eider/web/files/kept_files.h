// Files that clients have sent, kept in a directory under names that are made here.
// Must not know whose they are: names as clients gave them, sizes and owners are the app's rows.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "eider/io/runtime/task.h"
#include "eider/io/runtime/temp_file.h"
#include "eider/web/files/file_server.h"

namespace eider {

/// A state: `app.state<KeptFiles>("uploads")`. The name of a file is kept in a row beside what its
/// uploader calls it:
///
///     TempFile file = co_await part->save(kept->directory());
///     const std::string name = KeptFiles::new_name();
///     …                                            // insert the row, with the name
///     co_await kept->keep(std::move(file), name);
///     …                                            // commit
///
/// In that order each row that others see has its file. A file without a row, which an end ahead of
/// the commit leaves, goes by `remove_all_but` at the next start.
class KeptFiles {
 public:
  /// Makes the directory if it is missing, for this user alone. Throws a Failure with the reason if
  /// it cannot be opened.
  explicit KeptFiles(std::string directory);

  [[nodiscard]] const std::string& directory() const noexcept { return directory_; }
  /// 32 hexadecimal digits, which nobody can guess.
  [[nodiscard]] static std::string new_name();

  /// On return it is on the disk.
  ///
  /// errors  throws a Failure with 500 for a name that is taken, or none of new_name's, and where
  ///         the disk takes no more
  [[nodiscard]] Task<> keep(TempFile file, std::string name) const;

  /// For a browser to keep as `shown_as`, and never to show: application/octet-stream, whatever is
  /// in it, with Content-Disposition and nosniff; ranges and conditions as FileServer. 404 where
  /// there is none. Pre: on a loop; this and `request` outlive the task.
  [[nodiscard]] Task<Response> download(std::string name, std::string shown_as,
                                        const Request& request) const;

  /// Once no row has them. What cannot be removed stays for remove_all_but.
  [[nodiscard]] Task<> remove(std::vector<std::string> names) const;

  /// Removes what no row has. Files that have no name of new_name's stay: somebody may have named
  /// the wrong directory.
  ///
  /// names  of all rows
  /// age    of those that go, since they were written: what is younger may be another process's,
  ///        whose row is about to come
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
