#include "eider/web/assets/embed/build.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "eider/core/base/base64.h"
#include "eider/core/base/sha256.h"
#include "eider/core/base/text.h"
#include "eider/core/base/url.h"
#include "eider/protocols/http/mime.h"

namespace eider::detail::embed {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\f";
constexpr std::string_view kUrl = "url(";
constexpr std::string_view kImport = "@import";

/// Reads a complete style sheet.
class CssReader {
 public:
  explicit CssReader(std::string_view css) noexcept : css_(css) {}

  std::vector<CssReference> read() {
    while (at_ < css_.size()) {
      step();
    }
    return std::move(found_);
  }

 private:
  [[nodiscard]] std::string_view rest() const noexcept { return css_.substr(at_); }
  [[nodiscard]] bool sees(std::string_view word) const noexcept {
    return equals_ignoring_case(rest().substr(0, word.size()), word);
  }
  void skip_blanks() noexcept { at_ = std::min(css_.find_first_not_of(kBlanks, at_), css_.size()); }

  void step() {
    if (sees("/*")) {
      const std::size_t end = css_.find("*/", at_ + 2);
      at_ = end == css_.npos ? css_.size() : end + 2;
    } else if (css_[at_] == '"' || css_[at_] == '\'') {
      take_string();
    } else if (sees(kUrl) && !is_within_name()) {
      take_url();
    } else if (sees(kImport)) {
      take_import();
    } else {
      at_ += css_[at_] == '\\' ? 2 : 1;
    }
  }

  /// Returns whether the position is within a name: "my-url(" is another function.
  [[nodiscard]] bool is_within_name() const noexcept {
    const char before = at_ == 0 ? ' ' : css_[at_ - 1];
    return is_letter(before) || is_digit(before) || before == '-' || before == '_' ||
           before == '\\';
  }

  /// Returns the text between the quotes.
  std::string_view take_string() {
    const char quote = css_[at_];
    const std::size_t begin = ++at_;
    while (at_ < css_.size() && css_[at_] != quote && css_[at_] != '\n') {
      at_ += css_[at_] == '\\' ? 2 : 1;
    }
    at_ = std::min(at_, css_.size());
    const std::string_view text = css_.substr(begin, at_ - begin);
    ++at_;
    return text;
  }

  void take_url() {
    at_ += kUrl.size();
    skip_blanks();
    if (sees("\"") || sees("'")) {
      add(take_string());
      return;
    }
    const std::size_t end = std::min(css_.find(')', at_), css_.size());
    std::string_view text = css_.substr(at_, end - at_);
    text = text.substr(0, text.find_last_not_of(kBlanks) + 1);
    add(text);
    at_ = end;
  }

  void take_import() {
    at_ += kImport.size();
    skip_blanks();
    if (sees("\"") || sees("'")) {
      add(take_string());
    }
  }

  void add(std::string_view text) {
    const auto offset = static_cast<std::size_t>(text.data() - css_.data());
    const auto lines = std::ranges::count(css_.substr(0, offset), '\n');
    if (!text.empty() && !text.contains('\\')) {
      found_.push_back({offset, text, static_cast<std::size_t>(lines) + 1});
    }
  }

  std::string_view css_;
  std::size_t at_ = 0;
  std::vector<CssReference> found_;
};

}  // namespace

std::vector<CssReference> css_references(std::string_view css) {
  return CssReader(css).read();
}

namespace {

constexpr std::size_t kHashBytes = 6;  // 12 digits: enough to distinguish versions of a file

constexpr std::string_view kSigns = "._-/@+~";  // need no encoding in a path

bool is_name(std::string_view name) noexcept {
  return !name.empty() && std::ranges::all_of(name, [](char byte) {
    return is_letter(byte) || is_digit(byte) || kSigns.contains(byte);
  });
}

std::string_view directory_of(std::string_view name) noexcept {
  return name.substr(0, name.rfind('/') + 1);
}

/// Returns "css/app.3f2a9c01b2d4.css".
std::string hashed(std::string_view name, std::string_view hash) {
  const std::size_t file = directory_of(name).size();
  const std::size_t dot = name.substr(file).rfind('.');
  const std::size_t at = dot == name.npos || dot == 0 ? name.size() : file + dot;
  return std::string(name.substr(0, at)).append(".").append(hash).append(name.substr(at));
}

/// Returns the name of the asset at a path relative to a directory; nothing if the path leaves the
/// assets.
std::optional<std::string> follow(std::string_view directory, std::string_view path) {
  std::string name(directory);
  while (!path.empty()) {
    const std::string_view segment = take_until(path, "/");
    if (segment == "..") {
      if (name.empty()) {
        return std::nullopt;
      }
      name = directory_of(std::string_view(name).substr(0, name.size() - 1));
    } else if (segment != "." && !segment.empty()) {
      name.append(segment).append(path.empty() ? "" : "/");
    }
  }
  return name;
}

/// Returns whether a reference is a relative path: without scheme, host or absolute path.
bool is_relative(std::string_view reference) noexcept {
  const std::size_t colon = reference.find(':');
  return !reference.empty() && !reference.starts_with('/') && !reference.starts_with('#') &&
         !reference.starts_with('?') && (colon == reference.npos || reference.find('/') < colon);
}

/// Builds each asset after those that it refers to.
class Builder {
 public:
  explicit Builder(std::vector<AssetSource> sources) {
    for (AssetSource& source : sources) {
      waiting_.emplace(std::move(source.name), Waiting{std::move(source.content)});
    }
  }

  Result<std::vector<BuiltAsset>, std::string> build() {
    std::vector<BuiltAsset> assets;
    for (const auto& [name, source] : waiting_) {
      if (auto built = build_one(name); !built) {
        return fail(built.error());
      }
    }
    for (auto& [name, asset] : built_) {
      assets.push_back(std::move(asset));
    }
    return assets;
  }

 private:
  using Text = Result<std::string, std::string>;

  struct Waiting {
    std::string content;
    bool is_begun = false;
  };

  /// Builds one asset, and returns its hashed name.
  Text build_one(const std::string& name) {
    if (const auto known = built_.find(name); known != built_.end()) {
      return known->second.hashed_name;
    }
    if (!is_name(name)) {
      return fail(name + ": an asset name may contain only letters, digits and ._-@+~");
    }
    Waiting& source = waiting_.find(name)->second;
    if (std::exchange(source.is_begun, true)) {
      return fail(
          name + ": style sheets import each other in a cycle, so their hashes cannot be computed");
    }
    Text content = name.ends_with(".css") ? rewritten(name, source.content) : source.content;
    return content ? Text(add(name, std::move(*content))) : content;
  }

  std::string add(const std::string& name, std::string content) {
    const Sha256Digest digest = sha256(content);
    BuiltAsset asset{.name = name,
                     .hashed_name = hashed(name, to_hex(to_view(digest).substr(0, kHashBytes))),
                     .integrity = "sha256-" + to_base64(to_view(digest)),
                     .content = std::move(content)};
    if (!is_compressed(media_type_of(name))) {
      asset.gzip = gzipped(asset.content);
      asset.brotli = brotlied(asset.content);
    }
    return built_.emplace(name, std::move(asset)).first->second.hashed_name;
  }

  Text rewritten(const std::string& name, const std::string& css) {
    std::string text;
    std::size_t done = 0;
    for (const CssReference& reference : css_references(css)) {
      auto other = hashed_reference(name, reference);
      if (!other) {
        return fail(name + ":" + std::to_string(reference.line) + ": " + other.error());
      }
      text.append(css, done, reference.offset - done).append(*other);
      done = reference.offset + reference.text.size();
    }
    return text.append(css, done);
  }

  Text hashed_reference(const std::string& from, const CssReference& reference) {
    const std::string_view path = reference.text.substr(0, reference.text.find_first_of("?#"));
    if (!is_relative(reference.text)) {
      return std::string(reference.text);
    }
    const auto decoded = percent_decode(path, Plus::literal);
    const auto name = decoded ? follow(directory_of(from), *decoded) : std::nullopt;
    if (!name || !waiting_.contains(*name)) {
      return fail("Asset not found: \"" + std::string(path) + "\"");
    }
    const Text built = build_one(*name);
    if (!built) {
      return built;
    }
    const std::string_view file = std::string_view(*built).substr(directory_of(*built).size());
    return std::string(directory_of(path)).append(file).append(reference.text.substr(path.size()));
  }

  std::map<std::string, Waiting> waiting_;
  std::map<std::string, BuiltAsset> built_;
};

/// Returns C++ source for a part of the contents.
std::string piece(std::string_view symbol, std::size_t& offset, std::string_view content) {
  if (content.empty()) {
    return "{}";
  }
  std::string text = "{" + std::string(symbol) + " + " + std::to_string(offset) + ", ";
  offset += content.size();
  return text + std::to_string(content.size()) + "}";
}

}  // namespace

Result<std::vector<BuiltAsset>, std::string> build_assets(std::vector<AssetSource> sources) {
  return Builder(std::move(sources)).build();
}

std::string contents_of(const std::vector<BuiltAsset>& assets) {
  std::string contents;
  for (const BuiltAsset& asset : assets) {
    contents.append(asset.content).append(asset.gzip).append(asset.brotli);
  }
  return contents;
}

std::string header_of(std::string_view function) {
  return "// Generated by eider_assets(): " + std::string(function) +
         "() returns the assets of a directory, embedded in the program.\n#pragma once\n\n#include "
         "<eider/web/assets/embedded.h>\n\n[[nodiscard]] eider::EmbeddedAssets " +
         std::string(function) + "() noexcept;\n";
}

std::string source_of(const std::vector<BuiltAsset>& assets, std::string_view function,
                      std::string_view contents_path) {
  const std::string symbol = std::string(function) + "_contents";
  std::string text =
      "// Generated by eider_assets(). The assembler includes the contents: as C++ characters they "
      "would take minutes to compile.\n#include \"";
  text.append(function).append(".h\"\n\nasm(\".pushsection .rodata\\n").append(symbol);
  text.append(":\\n.incbin \\\"")
      .append(contents_path)
      .append("\\\"\\n.byte 0\\n.popsection\\n\");\n");
  const std::size_t bytes = contents_of(assets).size() + 1;
  text.append("extern \"C\" const char ").append(symbol).append("[").append(std::to_string(bytes));
  text.append("];\n\n");
  text.append("eider::EmbeddedAssets ").append(function).append("() noexcept {\n");
  text.append("  static constexpr eider::EmbeddedAsset kAssets[] = {\n");
  std::size_t offset = 0;
  for (const BuiltAsset& asset : assets) {
    text.append("      {\"").append(asset.name).append("\", \"").append(asset.hashed_name);
    text.append("\", \"").append(asset.integrity).append("\", ");
    text.append(piece(symbol, offset, asset.content)).append(", ");
    text.append(piece(symbol, offset, asset.gzip)).append(", ");
    text.append(piece(symbol, offset, asset.brotli)).append("},\n");
  }
  text.append(assets.empty() ? "      {}};\n  return {kAssets, 0};\n}\n"
                             : "  };\n  return kAssets;\n}\n");
  return text;
}

}  // namespace eider::detail::embed
