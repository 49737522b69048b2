#include "eider/app/handlers/producing.h"

namespace eider {

namespace {

class StreamedContent final : public ProducedContent {
 public:
  explicit StreamedContent(Streamed::Writer writer) : writer_(std::move(writer)) {}
  [[nodiscard]] Task<> produce(BodyWriter& out) override { return writer_(ResponseStream(out)); }

 private:
  Streamed::Writer writer_;
};

}  // namespace

ResponseStream Extract<ResponseStream>::make(BodyWriter& out, const Request& /*request*/) {
  Response& head = out.head();
  if (head.content_type().empty()) {
    head.set_static_type("application/octet-stream");
  }
  return ResponseStream(out);
}

Streamed::Streamed(std::string type, Writer writer) : writer_(std::move(writer)) {
  head_.set_type(std::move(type));
}

void Render<Streamed>::into(Response& response, Streamed streamed) {
  Render<Response>::into(response, std::move(streamed.head()));
  response.set_content(std::make_unique<StreamedContent>(std::move(streamed.writer())));
}

}  // namespace eider
