// The addresses of a plain struct's members, up to kMembersMax.
// Layering: must not read or copy a member: it also works on an object that does not exist.
#pragma once

#include <cstddef>
#include <utility>

namespace eider::reflect {

inline constexpr std::size_t kMembersMax = 32;

}  // namespace eider::reflect

namespace eider::reflect::detail {

template <std::size_t Index, class M>
struct Slot {
  using Type = M;
  M* pointer;
};

template <class Indices, class... M>
struct SlotsFor;

template <std::size_t... Index, class... M>
struct SlotsFor<std::index_sequence<Index...>, M...> : Slot<Index, M>... {};

/// A list of pointers, accessed by index: faster to compile than std::tuple.
template <class... M>
using Slots = SlotsFor<std::index_sequence_for<M...>, M...>;

template <class... M>
constexpr Slots<M...> slots(M*... pointers) {
  return {{pointers}...};
}

template <std::size_t Index, class M>
constexpr M* slot(const Slot<Index, M>& found) {
  return found.pointer;
}

template <std::size_t Value>
using Count = std::integral_constant<std::size_t, Value>;

template <class T>
constexpr Slots<> tie(T&, Count<0>) {
  return {};
}

template <class T>
constexpr auto tie(T& object, Count<1>) {
  auto& [a] = object;
  return slots(&a);
}

template <class T>
constexpr auto tie(T& object, Count<2>) {
  auto& [a, b] = object;
  return slots(&a, &b);
}

template <class T>
constexpr auto tie(T& object, Count<3>) {
  auto& [a, b, c] = object;
  return slots(&a, &b, &c);
}

template <class T>
constexpr auto tie(T& object, Count<4>) {
  auto& [a, b, c, d] = object;
  return slots(&a, &b, &c, &d);
}

template <class T>
constexpr auto tie(T& object, Count<5>) {
  auto& [a, b, c, d, e] = object;
  return slots(&a, &b, &c, &d, &e);
}

template <class T>
constexpr auto tie(T& object, Count<6>) {
  auto& [a, b, c, d, e, f] = object;
  return slots(&a, &b, &c, &d, &e, &f);
}

template <class T>
constexpr auto tie(T& object, Count<7>) {
  auto& [a, b, c, d, e, f, g] = object;
  return slots(&a, &b, &c, &d, &e, &f, &g);
}

template <class T>
constexpr auto tie(T& object, Count<8>) {
  auto& [a, b, c, d, e, f, g, h] = object;
  return slots(&a, &b, &c, &d, &e, &f, &g, &h);
}

template <class T>
constexpr auto tie(T& object, Count<9>) {
  auto& [a, b, c, d, e, f, g, h, i] = object;
  return slots(&a, &b, &c, &d, &e, &f, &g, &h, &i);
}

template <class T>
constexpr auto tie(T& object, Count<10>) {
  auto& [a, b, c, d, e, f, g, h, i, j] = object;
  return slots(&a, &b, &c, &d, &e, &f, &g, &h, &i, &j);
}

template <class T>
constexpr auto tie(T& object, Count<11>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k] = object;
  return slots(&a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &k);
}

template <class T>
constexpr auto tie(T& object, Count<12>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l] = object;
  return slots(&a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &k, &l);
}

template <class T>
constexpr auto tie(T& object, Count<13>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = object;
  return slots(&a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &k, &l, &m);
}

template <class T>
constexpr auto tie(T& object, Count<14>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = object;
  return slots(&a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &k, &l, &m, &n);
}

template <class T>
constexpr auto tie(T& object, Count<15>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = object;
  return slots(&a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &k, &l, &m, &n, &o);
}

template <class T>
constexpr auto tie(T& object, Count<16>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = object;
  return slots(&a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &k, &l, &m, &n, &o, &p);
}

template <class T>
constexpr auto tie(T& object, Count<17>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q] = object;
  return slots(&a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &k, &l, &m, &n, &o, &p, &q);
}

template <class T>
constexpr auto tie(T& object, Count<18>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r] = object;
  return slots(&a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &k, &l, &m, &n, &o, &p, &q, &r);
}

template <class T>
constexpr auto tie(T& object, Count<19>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s] = object;
  return slots(&a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &k, &l, &m, &n, &o, &p, &q, &r, &s);
}

template <class T>
constexpr auto tie(T& object, Count<20>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t] = object;
  return slots(&a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &k, &l, &m, &n, &o, &p, &q, &r, &s, &t);
}

template <class T>
constexpr auto tie(T& object, Count<21>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u] = object;
  return slots(&a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &k, &l, &m, &n, &o, &p, &q, &r, &s, &t, &u);
}

template <class T>
constexpr auto tie(T& object, Count<22>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v] = object;
  return slots(&a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &k, &l, &m, &n, &o, &p, &q, &r, &s, &t, &u,
               &v);
}

template <class T>
constexpr auto tie(T& object, Count<23>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w] = object;
  return slots(&a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &k, &l, &m, &n, &o, &p, &q, &r, &s, &t, &u,
               &v, &w);
}

template <class T>
constexpr auto tie(T& object, Count<24>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x] = object;
  return slots(&a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &k, &l, &m, &n, &o, &p, &q, &r, &s, &t, &u,
               &v, &w, &x);
}

template <class T>
constexpr auto tie(T& object, Count<25>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y] = object;
  return slots(&a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &k, &l, &m, &n, &o, &p, &q, &r, &s, &t, &u,
               &v, &w, &x, &y);
}

template <class T>
constexpr auto tie(T& object, Count<26>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z] = object;
  return slots(&a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &k, &l, &m, &n, &o, &p, &q, &r, &s, &t, &u,
               &v, &w, &x, &y, &z);
}

template <class T>
constexpr auto tie(T& object, Count<27>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa] = object;
  return slots(&a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &k, &l, &m, &n, &o, &p, &q, &r, &s, &t, &u,
               &v, &w, &x, &y, &z, &aa);
}

template <class T>
constexpr auto tie(T& object, Count<28>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab] =
      object;
  return slots(&a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &k, &l, &m, &n, &o, &p, &q, &r, &s, &t, &u,
               &v, &w, &x, &y, &z, &aa, &ab);
}

template <class T>
constexpr auto tie(T& object, Count<29>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac] =
      object;
  return slots(&a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &k, &l, &m, &n, &o, &p, &q, &r, &s, &t, &u,
               &v, &w, &x, &y, &z, &aa, &ab, &ac);
}

template <class T>
constexpr auto tie(T& object, Count<30>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac,
         ad] = object;
  return slots(&a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &k, &l, &m, &n, &o, &p, &q, &r, &s, &t, &u,
               &v, &w, &x, &y, &z, &aa, &ab, &ac, &ad);
}

template <class T>
constexpr auto tie(T& object, Count<31>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac,
         ad, ae] = object;
  return slots(&a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &k, &l, &m, &n, &o, &p, &q, &r, &s, &t, &u,
               &v, &w, &x, &y, &z, &aa, &ab, &ac, &ad, &ae);
}

template <class T>
constexpr auto tie(T& object, Count<32>) {
  auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, aa, ab, ac,
         ad, ae, af] = object;
  return slots(&a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &k, &l, &m, &n, &o, &p, &q, &r, &s, &t, &u,
               &v, &w, &x, &y, &z, &aa, &ab, &ac, &ad, &ae, &af);
}

}  // namespace eider::reflect::detail
