#include "eider/app/pairs.h"

#include <cstdint>
#include <string>
#include <utility>

#include "eider/base/url.h"
#include "eider/reflect/text.h"

namespace eider {

namespace {

using reflect::Kind;
using reflect::Member;

constexpr std::size_t kErrorsMax = 32;

/// The members of one struct, filled from pairs.
class PairsReader {
 public:
  PairsReader(const reflect::Type& type, void* object)
      : structure_(type.structure()), object_(object) {}

  void read(std::string_view name, std::string_view value) {
    const Member* member = structure_.find(name);
    if (member == nullptr) {
      refuse(name, "is not known");
      return;
    }
    const std::uint64_t bit = std::uint64_t{1} << (member - structure_.begin());
    const bool is_first = (seen_ & bit) == 0;
    seen_ |= bit;
    if (member->type->kind == Kind::kSequence) {
      append(*member, value, is_first);
    } else if (is_first) {
      assign(*member, *member->type, member->in(object_), value);
    } else {
      refuse(name, "stands there more than once");
    }
  }

  void refuse(std::string_view name, std::string detail) {
    if (errors_.size() < kErrorsMax) {
      errors_.push_back({std::string(name), std::move(detail)});
    }
  }

  std::vector<FieldError> finish() {
    for (std::size_t i = 0; i < structure_.count; ++i) {
      const Member& member = structure_.first[i];
      const bool is_absent = (seen_ >> i & 1U) == 0;
      if (is_absent && structure_.is_required(i) && member.type->kind != Kind::kSequence) {
        refuse(member.name, "is missing");
      }
    }
    return std::move(errors_);
  }

 private:
  void append(const Member& member, std::string_view value, bool is_first) {
    const reflect::Sequence& sequence = member.type->sequence();
    void* elements = member.in(object_);
    if (is_first) {
      sequence.clear(elements);  // an initialiser holds only where nothing is given
    }
    assign(member, *sequence.element, sequence.append(elements), value);
  }

  void assign(const Member& member, const reflect::Type& type, void* object,
              std::string_view value) {
    if (type.kind == Kind::kOptional && value.empty()) {
      type.optional().reset(object);
    } else if (auto read = reflect::read_text(type, object, value); !read) {
      refuse(member.name, std::move(read.error()));
    }
  }

  const reflect::Structure& structure_;
  void* object_;
  std::uint64_t seen_ = 0;
  std::vector<FieldError> errors_;
};

}  // namespace

std::vector<FieldError> read_pairs(const reflect::Type& type, void* object,
                                   std::string_view pairs) {
  PairsReader reader(type, object);
  QueryReader query(pairs);
  while (const auto pair = query.next()) {
    const auto name = percent_decode(pair->name, Plus::space);
    const auto value = percent_decode(pair->value, Plus::space);
    if (name && value) {
      reader.read(*name, *value);
    } else {
      reader.refuse(pair->name, "has a bad percent-escape in it");
    }
  }
  return reader.finish();
}

}  // namespace eider
