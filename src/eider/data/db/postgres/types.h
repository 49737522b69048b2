// The type numbers of PostgreSQL (pg_type.dat).
// Layering: must not be included outside of this folder.
#pragma once

namespace eider::db::postgres {

inline constexpr unsigned kBool = 16;
inline constexpr unsigned kBytea = 17;
inline constexpr unsigned kName = 19;
inline constexpr unsigned kInt8 = 20;
inline constexpr unsigned kInt2 = 21;
inline constexpr unsigned kInt4 = 23;
inline constexpr unsigned kText = 25;
inline constexpr unsigned kOid = 26;
inline constexpr unsigned kJson = 114;
inline constexpr unsigned kFloat4 = 700;
inline constexpr unsigned kFloat8 = 701;
inline constexpr unsigned kUnknown = 705;
inline constexpr unsigned kInt8Array = 1016;
inline constexpr unsigned kBpchar = 1042;
inline constexpr unsigned kVarchar = 1043;
inline constexpr unsigned kDate = 1082;
inline constexpr unsigned kTime = 1083;
inline constexpr unsigned kTimestamp = 1114;
inline constexpr unsigned kTimestampTz = 1184;
inline constexpr unsigned kNumeric = 1700;
inline constexpr unsigned kVoid = 2278;
inline constexpr unsigned kUuid = 2950;
inline constexpr unsigned kJsonb = 3802;

}  // namespace eider::db::postgres
