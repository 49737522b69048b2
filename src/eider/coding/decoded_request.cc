#include "eider/coding/decoded_request.h"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <utility>

#include "eider/app/respond.h"
#include "eider/base/text.h"

namespace eider {

namespace {

constexpr int kUnsupportedMediaType = 415;
constexpr int kContentTooLarge = 413;
constexpr std::size_t kElsewhere = static_cast<std::size_t>(-1);

/// Where `part` begins in the buffer; kElsewhere when it lies outside.
std::size_t offset_in(const Buffer& buffer, std::string_view part) noexcept {
  const std::less_equal<const char*> is_not_behind;
  const bool is_inside = !part.empty() && !buffer.empty() &&
                         is_not_behind(buffer.data(), part.data()) &&
                         is_not_behind(part.data() + part.size(), buffer.data() + buffer.size());
  return is_inside ? static_cast<std::size_t>(part.data() - buffer.data()) : kElsewhere;
}

/// The request's scratch buffer with what it holds of the path, while more is put behind that.
class ScratchBehindPath {
 public:
  explicit ScratchBehindPath(Request& request) noexcept : request_(request) {
    Buffer& scratch = request_.scratch();
    std::size_t end = 0;
    for (std::size_t index = 0; index < values().size(); ++index) {
      offsets_[index] = offset_in(scratch, values()[index]);
      if (offsets_[index] != kElsewhere) {
        end = std::max(end, offsets_[index] + values()[index].size());
      }
    }
    scratch.truncate(end);  // behind it stands what an earlier request of the connection left
    begin_ = end;
  }
  ScratchBehindPath(const ScratchBehindPath&) = delete;
  ScratchBehindPath& operator=(const ScratchBehindPath&) = delete;
  /// The buffer may have moved: so have the path values.
  ~ScratchBehindPath() {
    for (std::size_t index = 0; index < values().size(); ++index) {
      if (offsets_[index] != kElsewhere) {
        const std::string_view whole = request_.scratch().view();
        values().set(index, whole.substr(offsets_[index], values()[index].size()));
      }
    }
  }

  [[nodiscard]] Buffer& buffer() noexcept { return request_.scratch(); }
  /// What was put.
  [[nodiscard]] std::string_view added() const noexcept {
    return request_.scratch().view().substr(begin_);
  }

 private:
  [[nodiscard]] PathValues& values() noexcept { return request_.path_values(); }

  Request& request_;
  std::array<std::size_t, PathValues::kCountMax> offsets_{};
  std::size_t begin_ = 0;
};

Error unsupported() {
  return {kUnsupportedMediaType, "The content is coded in a way that is not understood here."};
}

/// All items of the Content-Encoding fields as one: nothing when there is none, or only "identity".
Result<std::optional<std::string_view>> only_coding(std::span<const Field> fields) {
  std::optional<std::string_view> found;
  for (const Field& field : fields) {
    if (!equals_ignoring_case(field.name, "content-encoding")) {
      continue;
    }
    const bool is_plain = field.value.empty() || equals_ignoring_case(field.value, "identity");
    if (!is_plain && found) {
      return fail(unsupported());
    }
    found = is_plain ? found : std::optional(field.value);
  }
  return found;
}

class Decompression {
 public:
  explicit Decompression(DecompressionOptions options) : options_(std::move(options)) {}

  bool apply(Request& request, Response& response) const {
    const auto coding = content_coding_of(request.headers(), options_.codings);
    if (!coding) {
      render_error(response, coding.error());
      response.add_header("Accept-Encoding", names_of(options_.codings));
      return false;
    }
    if (!*coding || request.body().empty() ||
        offset_in(request.scratch(), request.body()) != kElsewhere) {
      return true;
    }
    const auto decoded = decode(**coding, request);
    if (!decoded) {
      render_error(response, to_error(decoded.error()));
    }
    return decoded.has_value();
  }

 private:
  [[nodiscard]] Result<void, Decompressed> decode(ContentCoding coding, Request& request) const {
    ScratchBehindPath scratch(request);
    const auto decoded = decompress(coding, request.body(), scratch.buffer(), options_.limits);
    if (decoded) {
      request.set_body(scratch.added());
    }
    return decoded;
  }

  DecompressionOptions options_;
};

}  // namespace

Result<std::optional<ContentCoding>> content_coding_of(std::span<const Field> fields,
                                                       std::span<const ContentCoding> codings) {
  const auto name = only_coding(fields);
  if (!name) {
    return fail(name.error());
  }
  if (!*name) {
    return std::nullopt;
  }
  const std::optional<ContentCoding> coding = coding_named(**name);
  if (!coding || std::ranges::find(codings, *coding) == codings.end()) {
    return fail(unsupported());
  }
  return coding;
}

std::string names_of(std::span<const ContentCoding> codings) {
  std::string names;
  for (const ContentCoding coding : codings) {
    names.append(names.empty() ? "" : ", ").append(to_text(coding));
  }
  return names;
}

Error to_error(Decompressed outcome) {
  const std::string detail(to_text(outcome));
  return outcome == Decompressed::too_large ? Error(kContentTooLarge, detail)
                                            : Error::bad_request(detail);
}

Hook decompression(DecompressionOptions options) {
  auto shared = std::make_shared<const Decompression>(std::move(options));
  return Hook{.before = [shared = std::move(shared)](
                            Request& request,
                            Response& response) { return shared->apply(request, response); },
              .after = {}};
}

}  // namespace eider
