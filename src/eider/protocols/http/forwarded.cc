#include "eider/protocols/http/forwarded.h"

#include <algorithm>
#include <utility>

#include "eider/core/base/text.h"
#include "eider/protocols/http/grammar.h"
#include "eider/protocols/http/parameters.h"
#include "eider/protocols/http/target.h"

namespace eider {

namespace {

using Kind = ForwardedNode::Kind;

/// obfnode, obfport = "_" 1*( ALPHA / DIGIT / "." / "_" / "-" ) (RFC 7239, section 6.3)
bool is_obfuscated(std::string_view text) noexcept {
  const auto is_allowed = [](char byte) {
    return is_letter(byte) || is_digit(byte) || byte == '.' || byte == '_' || byte == '-';
  };
  return text.size() >= 2 && text.front() == '_' &&
         std::all_of(text.begin() + 1, text.end(), is_allowed);
}

/// port = 1*5DIGIT
std::optional<std::uint16_t> read_port(std::string_view text) noexcept {
  return text.size() <= 5 ? parse_integer<std::uint16_t>(text) : std::nullopt;
}

/// scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." ) (RFC 3986, section 3.1)
bool is_scheme(std::string_view text) noexcept {
  const auto is_allowed = [](char byte) {
    return is_letter(byte) || is_digit(byte) || byte == '+' || byte == '-' || byte == '.';
  };
  return !text.empty() && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(), is_allowed);
}

struct NodeParts {
  std::string_view name;
  /// With its colon; empty when there is none.
  std::string_view port;
  bool is_bracketed;
};

NodeParts split_node(std::string_view text) noexcept {
  if (!text.starts_with('[')) {
    const std::size_t colon = std::min(text.find(':'), text.size());
    return {text.substr(0, colon), text.substr(colon), false};
  }
  const std::size_t end = text.find(']');
  if (end == std::string_view::npos) {
    return {{}, {}, true};
  }
  return {text.substr(1, end - 1), text.substr(end + 1), true};
}

/// What the name in front of the port is; the family has to go with the brackets.
ForwardedNode read_name(const NodeParts& parts) noexcept {
  ForwardedNode node{.kind = Kind::malformed};
  if (const auto address = IpAddress::parse(parts.name)) {
    node.address = *address;
    // IPv6 stands in brackets and IPv4 does not, or "::1:80" could be read in two ways.
    node.kind = parts.is_bracketed == parts.name.contains(':') ? Kind::address : Kind::malformed;
  } else if (!parts.is_bracketed && equals_ignoring_case(parts.name, "unknown")) {
    node.kind = Kind::unknown;
  } else if (!parts.is_bracketed && is_obfuscated(parts.name)) {
    node.kind = Kind::obfuscated;
  }
  return node;
}

ForwardedNode malformed(std::string_view text) noexcept {
  return {.kind = Kind::malformed, .text = text};
}

enum class Member : std::uint8_t { from, by, host, proto, other };

Member member_of(std::string_view name) noexcept {
  constexpr std::pair<std::string_view, Member> kMembers[] = {
      {"for", Member::from}, {"by", Member::by}, {"host", Member::host}, {"proto", Member::proto}};
  for (const auto& [text, member] : kMembers) {
    if (equals_ignoring_case(name, text)) {
      return member;
    }
  }
  return Member::other;
}

/// value = token / quoted-string. Nothing when it is neither, or has a backslash in it.
std::optional<std::string_view> read_value(FieldScanner& scanner) noexcept {
  if (const auto inside = scanner.quoted()) {
    // An escape is refused rather than resolved: values stay views, and no proxy needs one.
    return inside->contains('\\') ? std::nullopt : inside;
  }
  const std::string_view token = scanner.token();
  return token.empty() ? std::nullopt : std::optional(token);
}

/// Whether the member was empty until now.
bool set_text(std::string_view& member, std::string_view value) noexcept {
  return !value.empty() && std::exchange(member, value).empty();
}

bool set_node(ForwardedNode& member, std::string_view value) noexcept {
  return std::exchange(member, read_forwarded_node(value)).kind == Kind::none;
}

bool set_member(ForwardedElement& element, Member member, std::string_view value) noexcept {
  switch (member) {
    case Member::from:
      return set_node(element.from, value);
    case Member::by:
      return set_node(element.by, value);
    case Member::host:
      return set_text(element.host, value);
    case Member::proto:
      return set_text(element.proto, value);
    case Member::other:
      return true;
  }
  return false;
}

/// forwarded-pair = token "=" value
bool read_pair(FieldScanner& scanner, ForwardedElement& element) noexcept {
  const std::string_view name = scanner.token();
  if (name.empty() || !scanner.accept('=')) {
    return false;
  }
  const std::optional<std::string_view> value = read_value(scanner);
  return value.has_value() && set_member(element, member_of(name), *value);
}

/// The elements as the walk takes them, whichever fields they are in.
class Hops {
 public:
  Hops(std::span<const Field> fields, ForwardedHeaders kind) noexcept
      : kind_(kind),
        elements_(fields, kind == ForwardedHeaders::forwarded ? "Forwarded" : "X-Forwarded-For"),
        protos_(fields, "X-Forwarded-Proto"),
        hosts_(fields, "X-Forwarded-Host") {}

  std::optional<ForwardedElement> next() noexcept {
    const std::optional<std::string_view> text = elements_.next();
    if (!text.has_value()) {
      return std::nullopt;
    }
    if (kind_ == ForwardedHeaders::forwarded) {
      return read_forwarded_element(*text);
    }
    // The three lists grow together; where one is shorter, what was said last holds.
    ForwardedElement element;
    element.from = read_x_forwarded_node(*text);
    element.proto = protos_.next().value_or("");
    element.host = hosts_.next().value_or("");
    return element;
  }

 private:
  ForwardedHeaders kind_;
  ElementsFromRight elements_;
  ElementsFromRight protos_;
  ElementsFromRight hosts_;
};

/// The origin one hop further out.
RequestOrigin follow(RequestOrigin origin, const ForwardedElement& said) noexcept {
  // What a trusted peer has written badly still counts as a hop, and names nobody.
  const ForwardedElement hop = said.is_malformed ? ForwardedElement() : said;
  origin.hops += 1;
  origin.proto = is_scheme(hop.proto) ? hop.proto : origin.proto;
  origin.host = is_host(hop.host) ? hop.host : origin.host;
  const bool is_known = hop.from.kind == Kind::address;
  origin.address = is_known ? std::optional(hop.from.address) : std::nullopt;
  // An address that is not known takes the place of the one before, never falls back to it.
  origin.port = is_known ? hop.from.port : std::nullopt;
  origin.identifier = is_known ? std::string_view() : hop.from.text;
  return origin;
}

}  // namespace

ForwardedNode read_forwarded_node(std::string_view text) noexcept {
  if (text.empty()) {
    return malformed(text);
  }
  const NodeParts parts = split_node(text);
  ForwardedNode node = read_name(parts);
  node.text = text;
  if (parts.port.empty()) {
    return node;
  }
  const std::string_view port = parts.port.substr(1);
  node.port = read_port(port);
  const bool is_port = parts.port.front() == ':' && (node.port.has_value() || is_obfuscated(port));
  return is_port ? node : malformed(text);
}

ForwardedNode read_x_forwarded_node(std::string_view text) noexcept {
  const std::optional<IpAddress> address = IpAddress::parse(text);
  if (address.has_value()) {
    return {.kind = Kind::address, .address = *address, .text = text};
  }
  return read_forwarded_node(text);
}

ForwardedElement read_forwarded_element(std::string_view text) noexcept {
  ForwardedElement element;
  FieldScanner scanner(text);
  while (!scanner.is_at_end() && !element.is_malformed) {
    scanner.skip_blanks();  // not in the grammar, but written
    if (scanner.accept(';')) {
      continue;
    }
    const bool is_pair = read_pair(scanner, element);
    scanner.skip_blanks();
    element.is_malformed = !is_pair || !(scanner.is_at_end() || scanner.accept(';'));
  }
  return element;
}

/// Goes to the next field line of that name, from the last to the first.
bool ElementsFromRight::take_line() noexcept {
  while (!fields_.empty()) {
    const Field& field = fields_.back();
    fields_ = fields_.first(fields_.size() - 1);
    if (equals_ignoring_case(field.name, name_)) {
      line_ = field.value;
      return true;
    }
  }
  return false;
}

/// Cuts what stands behind the last comma that is in no quoted string. Read from the right each
/// quote begins or ends one, since escapes are not taken.
std::string_view ElementsFromRight::cut_last() noexcept {
  bool is_quoted = false;
  std::size_t at = line_.size();
  while (at > 0 && (is_quoted || line_[at - 1] != ',')) {
    --at;
    is_quoted = is_quoted != (line_[at] == '"');
  }
  const std::string_view last = line_.substr(at);
  line_ = line_.substr(0, at > 0 ? at - 1 : 0);
  return trim(last);
}

std::optional<std::string_view> ElementsFromRight::next() noexcept {
  while (!line_.empty() || take_line()) {
    const std::string_view element = cut_last();
    if (!element.empty()) {
      return element;
    }
  }
  return std::nullopt;
}

RequestOrigin find_origin(const PeerEnd& peer, std::span<const Field> fields, ForwardedHeaders kind,
                          const TrustedPeers& trusted) noexcept {
  RequestOrigin origin;
  origin.address = peer.address();
  Hops hops(fields, kind);
  bool is_trusted = trusted.trusts(peer);
  // Only the word of a trusted end is followed: what stands left of it may be the client's own.
  while (is_trusted && origin.hops < kForwardedHopsMax) {
    const std::optional<ForwardedElement> hop = hops.next();
    if (!hop.has_value()) {
      break;
    }
    origin = follow(origin, *hop);
    is_trusted = origin.address.has_value() && trusted.trusts(*origin.address);
  }
  return origin;
}

}  // namespace eider
