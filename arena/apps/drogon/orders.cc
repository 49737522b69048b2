#include "orders.h"

#include <drogon/drogon.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "around.h"

namespace arena {

namespace {

using drogon::HttpRequestPtr;
using drogon::HttpResponse;
using drogon::HttpResponsePtr;
using Callback = std::function<void(const HttpResponsePtr&)>;

struct Line {
  std::string sku;
  std::int64_t count = 0;
  std::int64_t cents = 0;
};

struct Order {
  std::string id;
  std::string name;
  std::string mail;
  std::string street;
  std::string postcode;
  std::string city;
  std::string country;
  std::string paid_with;
  std::vector<std::string> tags;
  std::optional<std::string> note;
  bool is_gift = false;
  std::vector<Line> lines;
};

/// What is wrong, member by member.
class Faults {
 public:
  void add(const std::string& member, const char* problem) {
    Json::Value fault;
    fault["member"] = member;
    fault["problem"] = problem;
    list_.append(std::move(fault));
  }
  void expect(bool is_right, const char* member, const char* problem) {
    if (!is_right) {
      add(member, problem);
    }
  }
  bool empty() const { return list_.empty(); }
  Json::Value told() && {
    Json::Value content;
    content["errors"] = std::move(list_);
    return content;
  }

 private:
  Json::Value list_ = Json::arrayValue;
};

/// Reads the members of one object by their types; what is left over is not known.
class Members {
 public:
  Members(const Json::Value& object, std::string path, Faults& faults)
      : object_(object), path_(std::move(path)), faults_(faults) {}

  void read(const char* name, std::string& into) {
    const Json::Value* value = required(name, &Json::Value::isString, "must be a text");
    if (value != nullptr) {
      into = value->asString();
    }
  }
  void read(const char* name, std::int64_t& into) {
    const Json::Value* value = required(name, &Json::Value::isInt64, "must be a whole number");
    if (value != nullptr) {
      into = value->asInt64();
    }
  }
  void read(const char* name, bool& into) {
    const Json::Value* value = required(name, &Json::Value::isBool, "must be true or false");
    if (value != nullptr) {
      into = value->asBool();
    }
  }
  void read(const char* name, std::optional<std::string>& into) {
    const Json::Value* value = object_.find(name, name + std::string_view(name).size());
    if (value == nullptr || value->isNull()) {
      known_ += value != nullptr;
      return;
    }
    read(name, into.emplace());
  }
  const Json::Value* list(const char* name) {
    return required(name, &Json::Value::isArray, "must be a list");
  }
  std::string path_of(const std::string& name) const {
    return path_.empty() ? name : path_ + "." + name;
  }

  void refuse_others(const std::set<std::string_view>& names) {
    if (known_ == object_.size()) {
      return;
    }
    for (const std::string& name : object_.getMemberNames()) {
      if (!names.contains(name)) {
        faults_.add(path_of(name), "is not known");
      }
    }
  }

 private:
  const Json::Value* required(const char* name, bool (Json::Value::*is)() const,
                              const char* problem) {
    const Json::Value* value = object_.find(name, name + std::string_view(name).size());
    known_ += value != nullptr;
    if (value != nullptr && (value->*is)()) {
      return value;
    }
    faults_.add(path_of(name), value == nullptr ? "is missing" : problem);
    return nullptr;
  }

  const Json::Value& object_;
  std::string path_;
  Faults& faults_;
  Json::ArrayIndex known_ = 0;
};

void read_tags(const Json::Value& list, Order& order, Faults& faults) {
  for (const Json::Value& tag : list) {
    if (!tag.isString()) {
      faults.add("tags", "must be a list of texts");
      return;
    }
    order.tags.push_back(tag.asString());
  }
}

void read_lines(const Json::Value& list, Order& order, Faults& faults) {
  static const std::set<std::string_view> kNames{"sku", "count", "cents"};
  order.lines.reserve(list.size());
  for (const Json::Value& value : list) {
    std::string path = "lines." + std::to_string(order.lines.size());
    if (!value.isObject()) {
      faults.add(path, "must be an object");
      return;
    }
    Members members(value, std::move(path), faults);
    Line& line = order.lines.emplace_back();
    members.read("sku", line.sku);
    members.read("count", line.count);
    members.read("cents", line.cents);
    members.refuse_others(kNames);
  }
}

Order read_order(const Json::Value& object, Faults& faults) {
  static const std::set<std::string_view> kNames{"id",       "name", "mail",    "street",
                                                 "postcode", "city", "country", "paid_with",
                                                 "tags",     "note", "is_gift", "lines"};
  Order order;
  Members members(object, "", faults);
  members.read("id", order.id);
  members.read("name", order.name);
  members.read("mail", order.mail);
  members.read("street", order.street);
  members.read("postcode", order.postcode);
  members.read("city", order.city);
  members.read("country", order.country);
  members.read("paid_with", order.paid_with);
  members.read("note", order.note);
  members.read("is_gift", order.is_gift);
  if (const Json::Value* tags = members.list("tags")) {
    read_tags(*tags, order, faults);
  }
  if (const Json::Value* lines = members.list("lines")) {
    read_lines(*lines, order, faults);
  }
  members.refuse_others(kNames);
  return order;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}

bool is_letter(char c) {
  return is_lower(static_cast<char>(c | 0x20));
}

/// UTF-8: bytes that go on with a character do not count.
bool has_length(std::string_view text, std::ptrdiff_t least, std::ptrdiff_t most) {
  const auto count =
      std::count_if(text.begin(), text.end(), [](unsigned char c) { return (c & 0xC0U) != 0x80U; });
  return count >= least && count <= most;
}

bool is_uuid(std::string_view text) {
  if (text.size() != 36) {
    return false;
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
    const char low = static_cast<char>(text[i] | 0x20);
    if (is_dash ? text[i] != '-' : !is_digit(text[i]) && (low < 'a' || low > 'f')) {
      return false;
    }
  }
  return true;
}

bool is_label(std::string_view label) {
  return !label.empty() && label.size() <= 63 && label.front() != '-' && label.back() != '-' &&
         std::all_of(label.begin(), label.end(),
                     [](char c) { return is_digit(c) || is_letter(c) || c == '-'; });
}

/// As browsers take it (HTML, "valid email address"), with a domain of two labels at least.
bool is_mail(std::string_view text) {
  static constexpr std::string_view kMarks = ".!#$%&'*+/=?^_`{|}~-";
  const std::size_t at = text.find('@');
  if (at == 0 || at == text.npos || text.size() > 254) {
    return false;
  }
  const std::string_view local = text.substr(0, at);
  std::string_view domain = text.substr(at + 1);
  const bool is_local = std::all_of(local.begin(), local.end(), [](char c) {
    return is_digit(c) || is_letter(c) || kMarks.find(c) != kMarks.npos;
  });
  if (!is_local || domain.find('.') == domain.npos) {
    return false;
  }
  for (std::size_t dot = 0; dot != domain.npos; domain.remove_prefix(dot + 1)) {
    dot = domain.find('.');
    if (!is_label(domain.substr(0, dot))) {
      return false;
    }
    if (dot == domain.npos) {
      break;
    }
  }
  return true;
}

bool is_unique(const std::vector<std::string>& values) {
  for (auto value = values.begin(); value != values.end(); ++value) {
    if (std::find(values.begin(), value, *value) != value) {
      return false;
    }
  }
  return true;
}

bool is_sku(std::string_view text) {
  return has_length(text, 1, 32) && std::all_of(text.begin(), text.end(), [](char c) {
           return is_digit(c) || is_lower(c) || c == '-';
         });
}

void check_lines(const std::vector<Line>& lines, Faults& faults) {
  faults.expect(!lines.empty() && lines.size() <= 50, "lines", "must have 1 to 50 items");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    const auto expect = [&](bool is_right, const char* name, const char* problem) {
      if (!is_right) {
        faults.add("lines." + std::to_string(i) + "." + name, problem);
      }
    };
    expect(is_sku(line.sku), "sku", "must be 1 to 32 of a-z, 0-9 and -");
    expect(line.count >= 1 && line.count <= 1000, "count", "must be between 1 and 1000");
    expect(line.cents >= 0 && line.cents <= 10'000'000, "cents", "must be between 0 and 10000000");
  }
}

void check(const Order& order, Faults& faults) {
  faults.expect(is_uuid(order.id), "id", "must be a UUID");
  faults.expect(has_length(order.name, 1, 80), "name", "must have 1 to 80 characters");
  faults.expect(is_mail(order.mail), "mail", "must be an email address");
  faults.expect(has_length(order.street, 1, 120), "street", "must have 1 to 120 characters");
  faults.expect(order.postcode.size() == 5 &&
                    std::all_of(order.postcode.begin(), order.postcode.end(), is_digit),
                "postcode", "must be five digits");
  faults.expect(has_length(order.city, 1, 80), "city", "must have 1 to 80 characters");
  faults.expect(order.country == "DE" || order.country == "AT" || order.country == "CH", "country",
                "must be DE, AT or CH");
  faults.expect(order.paid_with == "card" || order.paid_with == "invoice", "paid_with",
                "must be card or invoice");
  faults.expect(order.tags.size() <= 8 && is_unique(order.tags), "tags",
                "must be at most 8 that differ");
  faults.expect(!order.note || has_length(*order.note, 0, 500), "note",
                "must have at most 500 characters");
  check_lines(order.lines, faults);
}

HttpResponsePtr refuse(drogon::HttpStatusCode status, Json::Value content) {
  HttpResponsePtr response = HttpResponse::newHttpJsonResponse(std::move(content));
  response->setStatusCode(status);
  return response;
}

HttpResponsePtr refuse_unread(const HttpRequestPtr& request) {
  Json::Value content;
  content["error"] = request->getJsonError();
  return refuse(request->contentType() == drogon::CT_APPLICATION_JSON
                    ? drogon::k400BadRequest
                    : drogon::k415UnsupportedMediaType,
                std::move(content));
}

HttpResponsePtr taken(const Order& order) {
  std::int64_t cents = 0;
  for (const Line& line : order.lines) {
    cents += line.count * line.cents;
  }
  Json::Value content;
  content["name"] = order.name;
  content["lines"] = static_cast<Json::UInt64>(order.lines.size());
  content["cents"] = cents;
  return HttpResponse::newHttpJsonResponse(std::move(content));
}

template <typename Check>
HttpResponsePtr take(const HttpRequestPtr& request, Check check) {
  const auto& object = request->getJsonObject();
  if (!object || !object->isObject()) {
    return refuse_unread(request);
  }
  Faults faults;
  const Order order = read_order(*object, faults);
  if (faults.empty()) {
    check(order, faults);
  }
  return faults.empty() ? taken(order)
                        : refuse(drogon::k422UnprocessableEntity, std::move(faults).told());
}

}  // namespace

void add_orders() {
  drogon::app().registerHandler("/unchecked",
                                [](const HttpRequestPtr& request, Callback&& callback) {
                                  callback(take(request, [](const Order&, Faults&) {}));
                                },
                                {drogon::Post});
  std::vector<drogon::internal::HttpConstraint> constraints{drogon::Post};
  for (const std::string& name : add_middlewares_of_orders()) {
    constraints.emplace_back(name);
  }
  drogon::app().registerHandler(
      "/checked",
      [](const HttpRequestPtr& request, Callback&& callback) { callback(take(request, check)); },
      constraints);
}

}  // namespace arena
