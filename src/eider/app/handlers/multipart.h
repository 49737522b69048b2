// The parts of a multipart form as they arrive: fields in memory, files on disk.
// Layering: must not buffer parts that the handler did not read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "eider/app/handlers/extract.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/temp_file.h"
#include "eider/protocols/http/multipart.h"
#include "eider/server/body_stream.h"

namespace eider {

/// The multipart/form-data body of a request (RFC 7578), else 415; a parameter of handlers that
/// return a Task.
///
///     app.post("/photos", [](Multipart form) -> Task<std::string> {
///       while (auto part = co_await form.next()) {
///         if (part->filename) {
///           // Deleted unless it is kept.
///           TempFile file = co_await part->save("/var/lib/photos");
///           …
///         }
///       }
///     });
///
/// Invalid forms and exceeded limits are thrown as a Failure with 400 or 413, which becomes the
/// response. The client is paused while the handler does not read.
class Multipart {
 public:
  class Part;

  Multipart(BodyStream body, std::string boundary);
  Multipart(Multipart&&) noexcept;
  Multipart& operator=(Multipart&&) noexcept;
  ~Multipart();

  /// Returns the limits, which can be changed before the first `next`. The body limit of the route
  /// applies, too.
  [[nodiscard]] MultipartLimits& limits() noexcept;

  /// `while (auto part = co_await form.next()) …`
  ///
  /// returns  the next part, skipping the rest of the previous one; nothing at the end
  [[nodiscard]] Task<std::optional<Part>> next();

 private:
  class Reading;
  std::unique_ptr<Reading> reading_;
};

/// Pre: the Multipart outlives the part, and is not moved while the part is read.
class Multipart::Part {
 public:
  std::string name;
  /// Name of the file on the client, with arbitrary bytes: see `safe_filename`. Nothing for a
  /// field. `next` skips files without name and contents, which browsers send if no file is
  /// selected.
  std::optional<std::string> filename;
  std::string content_type;

  /// `auto bytes = co_await part->next_bytes();`
  ///
  /// Throws std::logic_error after a call of `next`, as the functions below.
  ///
  /// returns  the next bytes, never empty, valid until the next call; nothing at the end
  [[nodiscard]] Task<std::optional<std::string_view>> next_bytes();
  /// Reads the whole part. Throws a Failure with 413 if it is larger than `bytes_max`.
  [[nodiscard]] Task<std::string> bytes(std::size_t bytes_max);
  /// Reads the whole part as UTF-8 text. Throws a Failure with 400 for other bytes.
  [[nodiscard]] Task<std::string> text(std::size_t bytes_max);
  /// Saves the part to a file without a name in `directory`; `TempFile::keep` sets its name. Throws
  /// a Failure with 500 if the file cannot be written.
  [[nodiscard]] Task<TempFile> save(std::string directory);

 private:
  friend class Multipart;
  Part(Reading& reading, const MultipartPart& part);

  Reading* reading_;
  std::uint64_t number_;
};

template <>
struct Extract<Multipart> {
  static constexpr ArgumentKind kKind = ArgumentKind::content_stream;
  using Held = Multipart;
  static Result<Held> from(const Context& context, ArgumentPlace place);
  static void describe(Operation& operation) {
    detail::app::describe_streamed_content(operation, "multipart/form-data");
  }
};

}  // namespace eider
