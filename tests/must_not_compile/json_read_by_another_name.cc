// expect: read JSON with json::read<T>(text)
#include <eider/eider.h>
struct Note {
  std::string title;
};
#ifdef FIXED
eider::Result<Note> note() { return eider::json::read<Note>("{}"); }
// Programs can define functions with these names, even for arguments of types in eider::json.
std::string parse(const eider::json::Value&);
std::string dump(const eider::json::Value&);
std::string all(eider::json::Value value) { return parse(value) + dump(value); }
#else
eider::Result<Note> note() { return eider::json::parse<Note>(std::string("{}")); }
#endif
