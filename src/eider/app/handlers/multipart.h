// A form's parts as they arrive, for handlers: fields in memory, files to the disk.
// Must not gather anything that the handler did not ask for.
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

/// A parameter of a handler that returns a Task: multipart/form-data (RFC 7578), else 415.
///
///     app.post("/photos", [](Multipart form) -> Task<std::string> {
///       while (auto part = co_await form.next()) {
///         if (part->filename) {
///           auto saving = part->save("/var/lib/photos");
///           TempFile file = co_await std::move(saving);  // gone unless it is kept
///           …
///         }
///       }
///     });
///
/// What is wrong with the form, or larger than its limits, is thrown as a Failure with 400 or 413;
/// let it pass, it answers by itself. The client is held up while nothing is asked for.
class Multipart {
 public:
  class Part;

  Multipart(BodyStream body, std::string boundary);
  Multipart(Multipart&&) noexcept;
  Multipart& operator=(Multipart&&) noexcept;
  ~Multipart();

  /// To be changed before the first `next`. The route's own bound on content holds too.
  [[nodiscard]] MultipartLimits& limits() noexcept;

  /// `while (auto part = co_await form.next()) …`
  ///
  /// returns  the next part, what is left of the one before being passed over; nothing at the end
  [[nodiscard]] Task<std::optional<Part>> next();

 private:
  class Reading;
  std::unique_ptr<Reading> reading_;
};

/// Pre: the Multipart outlives it, and does not move while it is read.
class Multipart::Part {
 public:
  std::string name;
  /// The file's name on the client, of any bytes: see `safe_filename`. Nothing: a field. `next`
  /// skips a file without name and content, which browsers send if no file is chosen.
  std::optional<std::string> filename;
  std::string content_type;

  /// `auto bytes = co_await part->next_bytes();`
  ///
  /// returns  some of its content, never empty, valid until the next call; nothing at the end
  [[nodiscard]] Task<std::optional<std::string_view>> next_bytes();
  /// All of it. Throws a Failure with 413 when it is more than `bytes_max`.
  [[nodiscard]] Task<std::string> bytes(std::size_t bytes_max);
  /// The same, as UTF-8 text: else a Failure with 400.
  [[nodiscard]] Task<std::string> text(std::size_t bytes_max);
  /// All of it in a file without a name in `directory`, which `TempFile::keep` gives one.
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
