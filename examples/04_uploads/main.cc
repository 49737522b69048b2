// Uploads: a form whose files go to the disk while they arrive, and bodies that come compressed.
//
//   UPLOADS=/tmp/uploads ./04_uploads --port 8080
//   curl -F title=Sea -F photo=@sea.jpg localhost:8080/photos
//   gzip -c notes.json | curl -H 'Content-Encoding: gzip' --data-binary @- localhost:8080/size
#include <eider/coding/decoded_request.h>
#include <eider/eider.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

using namespace eider;

namespace {

constexpr std::size_t kTitleBytesMax = 200;
constexpr std::size_t kFormBytesMax = std::size_t{2} << 30;

struct Photo {
  std::string name;
  std::uint64_t bytes;
};

struct Stored {
  std::string title;
  std::vector<Photo> photos;
};

/// Under its own name as far as that is safe, and never in place of another.
Task<Photo> store(Multipart::Part part, std::string directory) {
  auto saving = part.save(directory);
  TempFile file = co_await std::move(saving);
  Photo photo{.name = safe_filename(*part.filename), .bytes = file.size()};
  auto keeping = file.keep(directory + "/" + photo.name);
  const auto kept = co_await std::move(keeping);
  if (!kept) {
    throw Failure(Error::conflict("There is a photo of that name."));
  }
  co_return photo;
}

Task<Stored> take_photos(Multipart form, State<std::string> directory) {
  Stored stored;
  while (true) {
    auto coming = form.next();
    auto part = co_await std::move(coming);
    if (!part) {
      co_return stored;
    }
    if (part->filename) {
      auto storing = store(std::move(*part), *directory);
      Photo photo = co_await std::move(storing);
      stored.photos.push_back(std::move(photo));
    } else if (part->name == "title") {
      auto reading = part->text(kTitleBytesMax);
      stored.title = co_await std::move(reading);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const char* given = std::getenv("UPLOADS");
  App app;
  app.state(std::string(given == nullptr ? "." : given));
  app.use(decompression());
  app.get("/", [] { return "POST /photos or /size"; });
  app.post("/photos", take_photos).body_bytes_max(kFormBytesMax);
  app.post("/size", [](Body body) { return body.size(); });
  return app.run(argc, argv);
}
