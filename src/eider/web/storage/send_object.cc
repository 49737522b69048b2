// Storage::send: objects as responses, by the rules of FileServer for files of users.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/app/handlers/respond.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/text.h"
#include "eider/io/runtime/loop.h"
#include "eider/protocols/http/disposition.h"
#include "eider/protocols/http/etag.h"
#include "eider/protocols/http/grammar.h"
#include "eider/protocols/http/parameters.h"
#include "eider/server/content.h"
#include "eider/web/files/document_response.h"
#include "eider/web/storage/backend.h"
#include "eider/web/storage/put_options.h"
#include "eider/web/storage/storage.h"
#include "eider/web/storage/storage_key.h"
#include "eider/web/storage/storage_state.h"

namespace eider {

namespace {

using detail::storage::OpenedObject;
using detail::storage::StorageState;
using files_document = detail::files::Document;

constexpr int kFirstErrorStatus = 400;
constexpr std::string_view kBytesType = "application/octet-stream";

/// The parts of an object that is in no file of this machine, requested when they are sent.
class RemoteContent final : public ProducedContent {
 public:
  RemoteContent(std::shared_ptr<const StorageState> state, StoredObject about,
                std::vector<FileContent::Piece> pieces, std::string tail, std::uint64_t length)
      : state_(std::move(state)),
        about_(std::move(about)),
        pieces_(std::move(pieces)),
        tail_(std::move(tail)),
        length_(length) {}

  /// The object as it is open already: its first piece need not be requested again.
  void set_opened(OpenedObject opened) { opened_.emplace(std::move(opened)); }

  Task<> produce(BodyWriter& out) override {
    for (const FileContent::Piece& piece : pieces_) {
      co_await out.write(piece.before);
      if (!opened_) {
        auto opened = co_await state_->backend->get(
            about_.key, {.first = piece.offset, .bytes = piece.bytes}, about_.etag);
        if (!opened || opened->bytes != piece.bytes) {
          throw Failure(Error::unavailable("The file was changed meanwhile. Try again."));
        }
        opened_ = std::move(opened);
      }
      co_await send_opened(out);
    }
    co_await out.write(tail_);
  }
  [[nodiscard]] std::optional<std::uint64_t> length() const noexcept override { return length_; }

 private:
  Task<> send_opened(BodyWriter& out) {
    while (true) {
      const std::string bytes = co_await opened_->content->next();
      if (bytes.empty()) {
        break;
      }
      co_await out.write(bytes);
    }
    opened_.reset();
  }

  std::shared_ptr<const StorageState> state_;
  StoredObject about_;
  std::vector<FileContent::Piece> pieces_;
  std::string tail_;
  std::uint64_t length_;
  std::optional<OpenedObject> opened_;
};

/// Browsers run the scripts of XML, whatever its type is in front of the '/'.
bool is_xml(std::string_view essence) noexcept {
  constexpr std::string_view kSuffix = "+xml";
  return essence.size() > kSuffix.size() &&
         equals_ignoring_case(essence.substr(essence.size() - kSuffix.size()), kSuffix);
}

/// The Content-Type by which browsers may display the object: its media type and, for text, its
/// charset. Never the stored text itself, of which they could understand something else. Empty:
/// they must not display it.
std::string shown_type(const std::string& stored, const SendOptions& options) {
  const std::string_view essence = detail::storage::media_essence(stored);
  const bool is_shown =
      std::ranges::any_of(options.shown_types, [essence](const std::string& shown) {
        return detail::storage::is_type(essence, shown) &&
               !(shown.ends_with("/*") && is_xml(essence));
      });
  if (!is_shown) {
    return {};
  }
  std::string type(essence);
  const FoundParameter charset = find_parameter(stored, "charset");
  if (equals_ignoring_case(essence.substr(0, essence.find('/')), "text") &&
      charset.outcome == ParameterSearch::found && is_token(charset.parameter.value)) {
    type.append("; charset=").append(charset.parameter.value);
  }
  return type;
}

/// A document whose file is not looked into: its pieces are taken from the response.
files_document document_of(const StoredObject& about, std::shared_ptr<const Descriptor> file,
                           const SendOptions& options, std::string_view type) {
  auto stored = std::make_shared<detail::files::StoredFile>();
  stored->state.version.size = about.bytes;
  stored->file = file == nullptr ? std::make_shared<const Descriptor>() : std::move(file);
  files_document document;
  document.content_type = type;
  document.plain.file = std::move(stored);
  // Another program can have written a file whose tag is not valid.
  document.plain.entity_tag = parse_entity_tag(about.etag)
                                  ? about.etag
                                  : "W/" + write_entity_tag(std::to_string(about.bytes) + "-" +
                                                            std::to_string(about.modified_seconds));
  document.plain.modified_seconds =
      std::min(about.modified_seconds, Loop::current().wall_seconds());
  detail::files::write_lines(document, options.cache_control);
  return document;
}

std::string filename_of(const StoredObject& about, const SendOptions& options) {
  if (!options.filename.empty()) {
    return options.filename;
  }
  return about.filename.empty() ? about.key.substr(about.key.rfind('/') + 1) : about.filename;
}

Response respond_with(const std::shared_ptr<StorageState>& state, OpenedObject opened,
                      const Request& request, const SendOptions& options) {
  const StoredObject about = opened.about;
  std::string type = shown_type(about.content_type, options);
  const bool is_shown = !type.empty();
  if (!is_shown) {
    type = kBytesType;
  }
  const files_document document = document_of(about, opened.file, options, type);
  Response response =
      detail::files::respond_with(document, request, Loop::current().wall_seconds());
  if (response.content_type().data() == type.data()) {
    response.set_type(type);  // a copy that the response owns
  }
  if (response.status() < kFirstErrorStatus && (!is_shown || !options.filename.empty())) {
    response.add_header("Content-Disposition", attachment_disposition(filename_of(about, options)));
  }
  const FileContent* const file = content_as<FileContent>(response);
  if (file == nullptr || opened.file != nullptr) {
    return response;
  }
  auto remote = std::make_unique<RemoteContent>(state, about, file->pieces(),
                                                std::string(file->tail()), file->bytes());
  if (opened.content != nullptr && response.status() == 200) {
    remote->set_opened(std::move(opened));
  }
  response.set_content(std::move(remote));
  return response;
}

/// Whether the response to it is the whole object.
bool asks_for_all(const Request& request) {
  return request.method() == Method::get && !request.header("Range") &&
         !request.header("If-Match") && !request.header("If-None-Match") &&
         !request.header("If-Modified-Since") && !request.header("If-Unmodified-Since");
}

Response absent() {
  Response response;
  render_error(response, Error::not_found());
  return response;
}

}  // namespace

Task<Response> Storage::send(std::string key, const Request& request, SendOptions options) const {
  const std::shared_ptr<StorageState> state = state_;
  // No object has such a key, so there is nothing more to say.
  if (!check_storage_key(key)) {
    co_return absent();
  }
  // S3 needs one request for the whole object; otherwise its size and ETag are needed first.
  if (state->directory.empty() && !asks_for_all(request)) {
    auto about = co_await state->backend->head(std::move(key));
    if (!about) {
      co_return absent();
    }
    co_return respond_with(state, {.about = std::move(*about)}, request, options);
  }
  auto opened = co_await state->backend->get(std::move(key), {}, {});
  if (!opened) {
    co_return absent();
  }
  co_return respond_with(state, std::move(*opened), request, options);
}

}  // namespace eider
