#include "eider/web/coding/compressed_response.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/core/base/assert.h"
#include "eider/protocols/http/accept_encoding.h"
#include "eider/web/coding/compressed_content.h"
#include "eider/web/coding/encoded_head.h"
#include "eider/web/coding/file_bytes.h"

namespace eider {

namespace {

/// A larger scratch buffer is given back.
constexpr std::size_t kKeptBytesMax = 256UL * 1024;
constexpr std::size_t kGzipFirstBytesMax = 12UL * 1024;
constexpr int kNotModified = 304;

/// The server's codings, best first.
class Offer {
 public:
  explicit Offer(std::vector<ContentCoding> codings) : codings_(std::move(codings)) {
    for (const ContentCoding coding : codings_) {
      ensure(coding != ContentCoding::deflate, "deflate is only decompressed, never compressed");
      names_.push_back(to_text(coding));
    }
  }

  [[nodiscard]] std::optional<ContentCoding> accepted_by(const Request& request) const {
    const auto index = AcceptEncoding(request.headers()).choose(names_);
    return index ? std::optional(codings_[*index]) : std::nullopt;
  }

 private:
  std::vector<ContentCoding> codings_;
  std::vector<std::string_view> names_;
};

class Compression {
 public:
  explicit Compression(CompressionOptions options)
      : options_(std::move(options)),
        for_small_(offer_of({ContentCoding::zstd, ContentCoding::gzip, ContentCoding::brotli})),
        for_large_(offer_of({ContentCoding::zstd, ContentCoding::brotli, ContentCoding::gzip})) {}

  void apply(const Request& request, Response& response) const {
    if (response.status() == kNotModified) {
      mark_not_modified(request, response);
      return;
    }
    std::visit(ContentCases{[&](const BytesContent&) { apply_to_body(request, response); },
                            [&](const ContentPtr<FileContent>& file) {
                              if (file->bytes() <= options_.file_bytes_max) {
                                apply_now(request, response, file->bytes());
                              }
                            },
                            [&](const ContentPtr<ProducedContent>& produced) {
                              apply_to_produced(request, response, *produced);
                            },
                            [](const ContentPtr<Upgrade>&) {}},
               response.content());
  }

 private:
  [[nodiscard]] Offer offer_of(const std::vector<ContentCoding>& usual) const {
    return Offer(options_.codings.empty() ? usual : options_.codings);
  }

  [[nodiscard]] std::optional<ContentCoding> coding_for(const Request& request,
                                                        const Response& response,
                                                        const Offer& offer) const {
    const bool is_left =
        must_stay_plain(options_.breach_protection, exposure_of(request), response.field_lines());
    return is_left ? std::nullopt : offer.accepted_by(request);
  }

  void apply_to_body(const Request& request, Response& response) const {
    if (response.body().size() < options_.bytes_min || !may_be_encoded(response)) {
      return;
    }
    vary_by_encoding(response);
    const bool is_small = response.body().size() <= kGzipFirstBytesMax;
    const Offer& offer = is_small ? for_small_ : for_large_;
    if (const auto coding = coding_for(request, response, offer)) {
      encode_body(response, *coding);
    }
  }

  void encode_body(Response& response, ContentCoding coding) const {
    if (response.body().size() > options_.bytes_at_once_max) {
      TakenBody body(response);
      response.set_content(
          std::make_unique<CompressedBody>(std::move(body), coding, options_.levels));
      mark_encoded(response, coding);
      return;
    }
    thread_local Buffer packed;  // swapped with the response's, so that both keep their memory
    packed.clear();
    compress(coding, response.body(), packed, options_.levels);
    if (packed.size() < response.body().size()) {
      response.body_buffer().swap(packed);
      mark_encoded(response, coding);
    }
    if (packed.capacity() > kKeptBytesMax) {
      packed.release();
    }
  }

  void apply_to_produced(const Request& request, Response& response,
                         const ProducedContent& content) const {
    if (content.is_live() && options_.streams == StreamCompression::off) {
      return;
    }
    // Its producer may still change the head, so that is looked at with the first byte; there is
    // none where only the head is asked for, or where it announces a length.
    if (content.length().has_value() || request.method() == Method::head) {
      apply_now(request, response, content.length());
    } else {
      const ChosenCoding chosen{.coding = for_large_.accepted_by(request),
                                .levels = options_.levels,
                                .breach_protection = options_.breach_protection,
                                .exposure = exposure_of(request)};
      response.set_content(std::make_unique<CompressedContent>(take_produced(response), chosen));
    }
  }

  void apply_now(const Request& request, Response& response,
                 std::optional<std::uint64_t> length) const {
    const bool is_small = length && *length < options_.bytes_min;
    if (is_small || !may_be_encoded(response)) {
      return;
    }
    vary_by_encoding(response);
    if (const auto coding = coding_for(request, response, for_large_)) {
      response.set_content(
          std::make_unique<CompressedContent>(take_produced(response), *coding, options_.levels));
      mark_encoded(response, *coding);
    }
  }

  /// Pre: the content is produced, or a file.
  static ContentPtr<ProducedContent> take_produced(Response& response) {
    Content content = response.take_content();
    if (auto* const file = std::get_if<ContentPtr<FileContent>>(&content)) {
      return std::make_unique<FileBytes>(std::move(*file));
    }
    return std::get<ContentPtr<ProducedContent>>(std::move(content));
  }

  CompressionOptions options_;
  Offer for_small_;
  Offer for_large_;
};

}  // namespace

Hook compression(CompressionOptions options) {
  auto shared = std::make_shared<const Compression>(std::move(options));
  return Hook{.on_request = {},
              .on_response = [shared = std::move(shared)](
                                 const Request& request,
                                 Response& response) { shared->apply(request, response); },
              .name = "compression"};
}

}  // namespace eider
