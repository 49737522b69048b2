// Files that belong to an issue.
#include <algorithm>
#include <charconv>
#include <filesystem>

#include "issues.h"
#include "live.h"

namespace tracker {

namespace {

using drogon::orm::TransactionType;

/// Removes the file unless it is kept.
struct Unfinished {
  explicit Unfinished(std::filesystem::path path) : path(std::move(path)) {}
  ~Unfinished() {
    std::error_code ignored;
    if (!is_kept) {
      std::filesystem::remove(path, ignored);
    }
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  std::filesystem::path path;
  bool is_kept = false;
};

Json::Value to_json(std::int64_t id, const std::string& name, std::int64_t size) {
  Json::Value object;
  object["id"] = id;
  object["name"] = name;
  object["size"] = size;
  return object;
}

struct Range {
  std::size_t offset = 0;
  std::size_t bytes = 0;
};

/// Of "bytes=7-9", "bytes=7-" or "bytes=-3"; none of anything else, which is all of the file then.
std::optional<Range> range_of(std::string_view field, std::size_t size) {
  const std::size_t dash = field.find('-');
  if (!field.starts_with("bytes=") || dash == field.npos) {
    return {};
  }
  const auto number = [](std::string_view text) -> std::optional<std::size_t> {
    std::size_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_read = read.ec == std::errc() && read.ptr == text.data() + text.size();
    return is_read ? std::optional(value) : std::nullopt;
  };
  const auto first = number(field.substr(6, dash - 6));
  const auto last = number(field.substr(dash + 1));
  if (first) {
    const std::size_t end = last ? std::min(*last + 1, size) : size;
    return Range{*first, end > *first ? end - *first : size};  // as much is refused: 416
  }
  if (!last) {
    return {};
  }
  return Range{size - std::min(*last, size), std::min(*last, size)};
}

/// Drogon puts a name between quotes as it is.
std::string plain(std::string name) {
  std::ranges::replace_if(
      name, [](char c) { return c < ' ' || c > '~' || c == '"' || c == '\\'; }, '_');
  return name;
}

}  // namespace

class Attachments : public drogon::HttpController<Attachments> {
 public:
  METHOD_LIST_BEGIN
  ADD_METHOD_TO(Attachments::list, "/api/issues/{id}/attachments", drogon::Get,
                "tracker::LoggedIn");
  ADD_METHOD_TO(Attachments::attach, "/api/issues/{id}/attachments", drogon::Post,
                "tracker::LoggedIn", "tracker::Writer");
  ADD_METHOD_TO(Attachments::download, "/api/attachments/{id}", drogon::Get, "tracker::LoggedIn");
  METHOD_LIST_END

  Task<HttpResponsePtr> list(HttpRequestPtr, std::int64_t id) {
    co_await find_issue(id);
    const auto rows = co_await drogon::app().getDbClient()->execSqlCoro(
        "select id, name, size from attachments where issue_id = ? order by id", id);
    Json::Value all(Json::arrayValue);
    for (const auto& row : rows) {
      all.append(to_json(row["id"].as<std::int64_t>(), row["name"].as<std::string>(),
                         row["size"].as<std::int64_t>()));
    }
    co_return json(all);
  }

  Task<HttpResponsePtr> attach(HttpRequestPtr request, std::int64_t id) {
    co_await find_issue(id);
    drogon::MultiPartParser form;
    if (form.parse(request) != 0 || form.getFiles().size() != 1 ||
        form.getFiles()[0].getItemName() != "file") {
      throw Refusal(drogon::k422UnprocessableEntity, "A file is expected.",
                    {{"file", "must be a file"}});
    }
    const drogon::HttpFile& file = form.getFiles()[0];
    const std::string name = std::filesystem::path(file.getFileName()).filename().string();
    const auto size = static_cast<std::int64_t>(file.fileLength());
    const std::string kept_as = drogon::utils::getUuid();
    Unfinished unfinished(std::filesystem::absolute(setting("uploads", "uploads")) / kept_as);
    if (file.saveAs(unfinished.path.string()) != 0) {  // on the loop: all others wait for it
      throw std::runtime_error("an attachment cannot be kept");
    }
    auto all = co_await drogon::app().getDbClient()->newTransactionCoro(TransactionType::Immediate);
    const auto rows = co_await all->execSqlCoro(
        "insert into attachments(issue_id, name, size, file) values(?, ?, ?, ?) returning id", id,
        name, size, kept_as);
    const auto made = rows[0]["id"].as<std::int64_t>();
    co_await commit_with(std::move(all), "attached", id, user_of(request).name);
    unfinished.is_kept = true;
    co_return json(to_json(made, name, size), drogon::k201Created);
  }

  Task<HttpResponsePtr> download(HttpRequestPtr request, std::int64_t id) {
    const auto rows = co_await drogon::app().getDbClient()->execSqlCoro(
        "select name, size, file from attachments where id = ?", id);
    if (rows.empty()) {
      throw Refusal(drogon::k404NotFound, "There is no such attachment.");
    }
    const auto size = static_cast<std::size_t>(rows[0]["size"].as<std::int64_t>());
    const std::string path =
        setting("uploads", "uploads") + "/" + rows[0]["file"].as<std::string>();
    const auto range = range_of(request->getHeader("range"), size);
    const Range part = range.value_or(Range{0, size});
    HttpResponsePtr response = HttpResponse::newFileResponse(
        path, part.offset, part.bytes, range.has_value(), plain(rows[0]["name"].as<std::string>()),
        drogon::CT_APPLICATION_OCTET_STREAM);
    response->addHeader("Accept-Ranges", "bytes");
    co_return response;
  }
};

}  // namespace tracker
