// File uploads: a form whose files are written to disk while they arrive, and compressed bodies.
//
//   ./04_uploads --directory /tmp/uploads --port 8080
//   curl -F title=Sea -F photo=@sea.jpg localhost:8080/photos
//   gzip -c notes.json | curl -H 'Content-Encoding: gzip' --data-binary @- localhost:8080/size
#include <eider/compress.h>
#include <eider/eider.h>

#include <cstdint>
#include <string>
#include <vector>

using namespace eider;

namespace {

constexpr std::size_t kTitleBytesMax = 200;
constexpr std::size_t kFormBytesMax = std::size_t{2} << 30;

struct Options {
  std::string directory = ".";

  static constexpr OptionText kOptions[] = {{"directory", "Directory for photos", "DIRECTORY"}};
};

struct Photo {
  std::string name;
  std::uint64_t bytes;
};

struct Stored {
  std::string title;
  std::vector<Photo> photos;
};

/// Stores the file under a safe form of its name, and never overwrites another file.
Task<Photo> store(Multipart::Part part, std::string directory) {
  TempFile file = co_await part.save(directory);
  Photo photo{.name = safe_filename(*part.filename), .bytes = file.size()};
  if (!co_await file.keep(directory + "/" + photo.name)) {
    throw Failure(Error::conflict("A photo with this name already exists."));
  }
  co_return photo;
}

Task<Stored> take_photos(Multipart form, State<Options> options) {
  Stored stored;
  while (true) {
    auto part = co_await form.next();
    if (!part) {
      co_return stored;
    }
    if (part->filename) {
      Photo photo = co_await store(std::move(*part), options->directory);
      stored.photos.push_back(std::move(photo));
    } else if (part->name == "title") {
      stored.title = co_await part->text(kTitleBytesMax);
    }
  }
}

App make_app(const Options& own) {
  App app;
  app.allow_path(own.directory, FileUse::write);
  app.state(own);
  app.use(decompression());
  app.get("/", [] { return "POST /photos or /size"; });
  app.post("/photos", take_photos).body_bytes_max(kFormBytesMax);
  app.post("/size", [](Body body) { return body.size(); });
  return app;
}

}  // namespace

int main(int argc, char** argv) {
  return run_app<Options>("uploads", argc, argv, make_app);
}
