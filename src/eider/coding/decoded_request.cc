#include "eider/coding/decoded_request.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "eider/app/operation.h"
#include "eider/app/respond.h"
#include "eider/base/text.h"

namespace eider {

namespace {

constexpr int kUnsupportedMediaType = 415;
constexpr int kContentTooLarge = 413;

/// In the request's slot: what the body views once it is decoded.
struct DecodedContent {
  Buffer bytes;
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
    if (!*coding || request.body().empty() || request.find<DecodedContent>() != nullptr) {
      return true;
    }
    DecodedContent content;
    if (const auto decoded = decompress(**coding, request.body(), content.bytes, options_.limits);
        !decoded) {
      render_error(response, to_error(decoded.error()));
      return false;
    }
    request.set_body(request.put(std::move(content)).bytes.view());
    return true;
  }

 private:
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

namespace {

void describe_decompression(Operation& operation) {
  if (operation.contents.empty() || operation.is_content_streamed) {
    return;
  }
  operation.answer_problem(400, "The content cannot be decoded.");
  operation.answer_problem(kContentTooLarge, "The content is too large.");
  operation.answer_problem(415, "The content is of another type, or its coding unknown.")
      .add_field("Accept-Encoding");
}

}  // namespace

Hook decompression(DecompressionOptions options) {
  auto shared = std::make_shared<const Decompression>(std::move(options));
  return {.on_content = [shared = std::move(shared)](
                            Request& request,
                            Response& response) { return shared->apply(request, response); },
          .name = "decompression",
          .describe = describe_decompression};
}

}  // namespace eider
